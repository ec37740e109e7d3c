package engine

import "unsafe"

// contains tells whether an address lies in a slice of bytes. It looks at addresses alone and reads nothing.
func contains(b []byte, address uintptr) bool {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(b) > 0 && address >= from && address-from < uintptr(len(b))
}
