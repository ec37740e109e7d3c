package segment

import "fmt"

// sectionAt is a section and where it lies.
type sectionAt struct {
	kind   kind
	field  int
	offset int
	bytes  []byte
	crc    uint32 // that it should have
}

// layout lists the sections of a segment in their order; checksums of sections are left to the caller.
func layout(b []byte) ([]sectionAt, error) {
	var list []sectionAt
	at := headerLen
	err := readFrame(b, func(k kind, field int, section []byte, crc uint32) error {
		list = append(list, sectionAt{k, field, at, section, crc})
		at += len(section)
		return nil
	})
	return list, err
}

// String names the kind of a section.
func (k kind) String() string {
	switch k {
	case kindMeta:
		return "meta"
	case kindIDs:
		return "ids"
	case kindIDTable:
		return "id table"
	case kindVersion:
		return "versions"
	case kindBirthSeq:
		return "sequences"
	case kindBirthLog:
		return "logs"
	case kindBirthIndex:
		return "indexes in messages"
	case kindSlot:
		return "slots"
	case kindContent:
		return "content hashes"
	case kindStored:
		return "stored sources"
	case kindLengths:
		return "lengths"
	case kindTerms:
		return "terms"
	case kindPostings:
		return "postings"
	case kindPositions:
		return "positions"
	case kindExact:
		return "exact values"
	case kindExactPostings:
		return "postings of exact values"
	case kindOrdinals:
		return "ordinals"
	case kindInts:
		return "longs"
	case kindFloats:
		return "doubles"
	}
	return fmt.Sprintf("kind %d", byte(k))
}
