package subjects

import (
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// ValidCollection checks a collection's name, [a-z0-9_-]{1,64}; the error is bad_request.
func ValidCollection(name string) error {
	if !isName(name, 64, true) {
		return fault.New(fault.BadRequest, "collection %s: a name is 1 to 64 of a-z, 0-9, _ and -", fault.Quote(name))
	}
	return nil
}

// ValidGroup checks a group's name, [a-z0-9-]{1,32}; the error is bad_request. There is no underscore in it, because JETSEEK_g0_2 is the second
// generation of g0's stream.
func ValidGroup(name string) error {
	if !isName(name, 32, false) {
		return fault.New(fault.BadRequest, "group %s: a name is 1 to 32 of a-z, 0-9 and -", fault.Quote(name))
	}
	return nil
}

// ValidNode checks a node's name, [a-z0-9_-]{1,32} and none of any, map, member, all, which have a meaning in subjects; the error is bad_request.
func ValidNode(name string) error {
	switch name {
	case "any", "map", "member", "all":
		return fault.New(fault.BadRequest, "node %s: the name is reserved", fault.Quote(name))
	}
	if !isName(name, 32, true) {
		return fault.New(fault.BadRequest, "node %s: a name is 1 to 32 of a-z, 0-9, _ and -", fault.Quote(name))
	}
	return nil
}

// MemberID names the member that a node is in a group: "g0/n1".
func MemberID(group, node string) string { return group + "/" + node }

// SplitMember gives the group and the node of a member's id, and false when it is none.
func SplitMember(id string) (group, node string, ok bool) {
	group, node, ok = strings.Cut(id, "/")
	if !ok || ValidGroup(group) != nil || ValidNode(node) != nil {
		return "", "", false
	}
	return group, node, true
}

func isName(s string, limit int, underscore bool) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && (c != '_' || !underscore) {
			return false
		}
	}
	return true
}
