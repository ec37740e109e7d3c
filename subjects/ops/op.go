package ops

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jetseek/jetseek/subjects"
)

// ID names an operation: its plane, and the last tokens of its subject.
type ID string

// The operations.
const (
	Search  ID = "read.search"
	Get     ID = "read.get"
	Explain ID = "read.explain"
	Analyze ID = "read.analyze"
	Suggest ID = "read.suggest"

	Index  ID = "write.index"
	Bulk   ID = "write.bulk"
	Delete ID = "write.delete"

	CollectionsCreate ID = "admin.collections.create"
	CollectionsShow   ID = "admin.collections.show"
	CollectionsList   ID = "admin.collections.list"
	CollectionsDrop   ID = "admin.collections.drop"
	Status            ID = "admin.status"
	Members           ID = "admin.members"
	Map               ID = "admin.map"
	Ring              ID = "admin.ring"
	Placement         ID = "admin.placement"
	Plan              ID = "admin.plan"
	Repair            ID = "admin.repair"
	Quarantine        ID = "admin.quarantine"
	Requeue           ID = "admin.requeue"
)

// Plane is the token of a subject that says who may ask.
type Plane string

// The planes. Operations of the first two act on a collection, whose name is the token behind.
const (
	Read  Plane = "read"
	Write Plane = "write"
	Admin Plane = "admin"
)

// Role is what a client is allowed to do.
type Role string

// The roles of clients, each with all that the one before may.
const (
	Reader        Role = "reader"
	Writer        Role = "writer"
	Administrator Role = "admin"
)

// Roles gives the roles, in that order.
func Roles() []Role { return []Role{Reader, Writer, Administrator} }

// Planes gives the planes of which a role may ask everything.
func (r Role) Planes() []Plane {
	planes := []Plane{Read, Write, Admin}
	return planes[:slices.Index(Roles(), r)+1]
}

// Plane gives the plane of the operation.
func (id ID) Plane() Plane {
	plane, _, _ := strings.Cut(string(id), ".")
	return Plane(plane)
}

// Name gives the operation's name without its plane: search, collections.list.
func (id ID) Name() string {
	_, name, _ := strings.Cut(string(id), ".")
	return name
}

// Subject is where the operation is asked for; the collection counts only where it acts on one, and may be "*" in a subscription.
func (id ID) Subject(names subjects.Names, collection string) string {
	switch id.Plane() {
	case Read:
		return names.Read(collection, id.Name())
	case Write:
		return names.Write(collection, id.Name())
	}
	return names.Admin(id.Name())
}

// All is the subscription to every operation of the plane.
func (p Plane) All(names subjects.Names) string {
	if p == Admin {
		return names.Admin(">")
	}
	return ID(p+".*").Subject(names, "*")
}

// Parse gives the operation, which need not be one, and the collection that a subject of the plane names.
func (p Plane) Parse(names subjects.Names, subject string) (id ID, collection string) {
	name := strings.TrimPrefix(subject, names.Prefix()+"."+string(p)+".")
	if p != Admin {
		collection, name, _ = strings.Cut(name, ".")
	}
	return ID(string(p) + "." + name), collection
}

// Parse gives the operation, which need not be one, and the collection that a subject names; false when the subject is of no plane.
func Parse(names subjects.Names, subject string) (id ID, collection string, ok bool) {
	for _, p := range Administrator.Planes() {
		if strings.HasPrefix(subject, names.Prefix()+"."+string(p)+".") {
			id, collection = p.Parse(names, subject)
			return id, collection, true
		}
	}
	return "", "", false
}

// Budget is how long a client waits that names no time: it leaves a coordinator room for its own defaults, which are 1 s for searches, 5 s for writes
// and 20 s for deletes, since these are verified.
func (id ID) Budget() time.Duration {
	switch {
	case id == Repair:
		return RepairBudget
	case id == Delete || id == Bulk || id == CollectionsDrop:
		return 21 * time.Second
	case id.Plane() == Write:
		return 6 * time.Second
	case id.Plane() == Read || id == Status:
		return 2 * time.Second
	}
	return 10 * time.Second
}

// RepairBudget is how long a client waits for the report of a repair: members that differ replay their log.
const RepairBudget = 5 * time.Minute

// Changes tells whether the operation changes something, so that a failure says whether it can have been stored.
func (id ID) Changes() bool {
	return id.Plane() == Write || id == CollectionsCreate || id == CollectionsDrop || id == Requeue
}

// Op is one operation of the public API.
type Op struct {
	ID      ID
	About   string
	Request reflect.Type // the NATS request's body, for the description; nil: a document, lines or nothing
	Reply   reflect.Type // the body of a success
	Params  []Param      // over NATS: what the headers may hold beside [Common]; those with another place belong to routes
	Routes  []Route      // at least one
}

// MayAsk tells whether a role may ask for the operation.
func (o *Op) MayAsk(r Role) bool { return slices.Contains(r.Planes(), o.ID.Plane()) }
