package subjects

import (
	"fmt"
	"strings"
)

const (
	// DefaultPrefix is the first token of every subject unless another is configured.
	DefaultPrefix = "jetseek"

	// CoordinatorService is the service name, and the queue group, of coordinators.
	CoordinatorService = "jetseek"
	// ShardService is the service name, and the queue group behind "any", of members.
	ShardService = "jetseek-shard"
)

// Names builds the subjects and asset names of one deployment. The zero value has the prefix [DefaultPrefix]. The builders do not check their
// arguments: validate names where they enter ([ValidCollection], [ValidGroup], [ValidNode]). Where a subscription is meant, "*" may stand for a
// token.
type Names struct{ prefix string }

// New makes the names of a prefix: one or more tokens of [a-z0-9_-]+ with dots between them, at most 64 bytes.
func New(prefix string) (Names, error) {
	if len(prefix) > 64 {
		return Names{}, fmt.Errorf("prefix of %d bytes: at most 64", len(prefix))
	}
	for token := range strings.SplitSeq(prefix, ".") {
		if !isName(token, 64, true) {
			return Names{}, fmt.Errorf("prefix %q: tokens of a-z, 0-9, _ and - with dots between them", prefix)
		}
	}
	return Names{prefix: prefix}, nil
}

// Prefix gives the first tokens of every subject.
func (n Names) Prefix() string {
	if n.prefix == "" {
		return DefaultPrefix
	}
	return n.prefix
}

// Read is where coordinators answer a read of a collection.
func (n Names) Read(collection, op string) string {
	return n.Prefix() + ".read." + collection + "." + op
}

// Write is where coordinators answer a write to a collection.
func (n Names) Write(collection, op string) string {
	return n.Prefix() + ".write." + collection + "." + op
}

// Admin is where coordinators answer an operation on the cluster; op may have dots.
func (n Names) Admin(op string) string { return n.Prefix() + ".admin." + op }

// Member is where one member answers.
func (n Names) Member(group, node, op string) string {
	return n.Prefix() + ".group." + group + "." + node + "." + op
}

// Any is where one of a group's serving members answers.
func (n Names) Any(group, op string) string { return n.Member(group, "any", op) }

// Log is the subject of a group's log.
func (n Names) Log(group string) string { return n.Prefix() + ".log." + group }

// LogOwn is the subject of the ownership entries of a group's log.
func (n Names) LogOwn(group string) string { return n.Log(group) + ".own" }

// LogQuarantine is the subject of the records of a group's log that set operations aside.
func (n Names) LogQuarantine(group string) string { return n.Log(group) + ".quarantine" }

// Tail is where the server republishes what a group's log has stored.
func (n Names) Tail(group string) string { return n.Prefix() + ".tail." + group }

// TailOwn is where the server republishes the ownership entries of a group's log.
func (n Names) TailOwn(group string) string { return n.Tail(group) + ".own" }

// TailQuarantine is where the server republishes what sets operations of a group's log aside.
func (n Names) TailQuarantine(group string) string { return n.Tail(group) + ".quarantine" }

// Applied is where a group's members publish their watermarks.
func (n Names) Applied(group string) string { return n.Prefix() + ".event.group." + group + ".applied" }

// AppliedAll is [Names.Applied] of all groups, to subscribe to.
func (n Names) AppliedAll() string { return n.Applied("*") }

// EventMap is where changes of the map are announced.
func (n Names) EventMap() string { return n.Prefix() + ".event.map" }

// Stream is the name of a group's JetStream stream.
func (n Names) Stream(group string) string { return n.assets() + "_" + group }

// Bucket is the name of the cluster's KV bucket.
func (n Names) Bucket() string { return n.assets() }

// ObjectBucket is the name of the object store for the bodies of requests; it is that of the KV bucket.
func (n Names) ObjectBucket() string { return n.assets() }

// DocumentBucket is the name of the object store for documents that logs refer to.
func (n Names) DocumentBucket() string { return n.assets() + "_DOCUMENTS" }

// RoleInbox is the inbox prefix of the connections of a role; coordinators' is "c". ">" stands for all of them.
func (n Names) RoleInbox(role string) string { return "_INBOX_" + n.assets() + "." + role }

// Inbox is the reply prefix of one coordinator process; calls add ".{call}.{round}.{slot}" ([ReplySubject]), outcomes ".report".
func (n Names) Inbox(incarnation uint64) string {
	return fmt.Sprintf("%s%016x", n.inboxPrefix(), incarnation)
}

// IsCoordinatorInbox tells whether a subject lies under some coordinator's inbox.
func (n Names) IsCoordinatorInbox(reply string) bool {
	rest, ok := strings.CutPrefix(reply, n.inboxPrefix())
	if !ok || len(rest) < 16 || !isHex(rest[:16]) {
		return false
	}
	return len(rest) == 16 || rest[16] == '.' && isConcrete(rest[17:])
}

// IsInbox tells whether a reply subject is one that requests are answered on: its first token begins with an underscore.
func IsInbox(reply string) bool { return len(reply) > 1 && reply[0] == '_' && isConcrete(reply) }

func (n Names) inboxPrefix() string { return n.RoleInbox("c") + "." }

func (n Names) assets() string {
	return strings.ToUpper(strings.ReplaceAll(n.Prefix(), ".", "_"))
}

// isConcrete tells whether s is a subject to publish to: non-empty tokens without blanks, controls or wildcards.
func isConcrete(s string) bool {
	for token := range strings.SplitSeq(s, ".") {
		if token == "" {
			return false
		}
		for i := range len(token) {
			if c := token[i]; c <= ' ' || c == '*' || c == '>' || c == 0x7f {
				return false
			}
		}
	}
	return true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
