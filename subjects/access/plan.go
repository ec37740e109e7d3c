package access

import (
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Options say what a plan is for.
type Options struct {
	Groups   []string // that members serve; at least one
	Node     string   // of the member role; "": any node
	Replicas int      // of streams; 0: 1
}

// Plan is what a NATS server must have and allow.
type Plan struct {
	Prefix  string                   `json:"prefix"`
	Streams []jetstream.StreamConfig `json:"streams"` // as nats stream add --config takes them; those of the KV bucket and the object store among them
	Roles   []Role                   `json:"roles"`
}

// Role is what one user of the server may do.
type Role struct {
	Name      string   `json:"name"`
	Inbox     string   `json:"inbox_prefix"` // of its connections
	Publish   []string `json:"publish"`      // allowed subjects, and no others
	Subscribe []string `json:"subscribe"`
}

// The roles of processes, beside those of clients ([ops.Roles]).
const (
	Coordinator = "coordinator"
	Member      = "member"
)

// New makes the plan of a deployment. Errors: a group or node whose name is none.
func New(names subjects.Names, o Options) (*Plan, error) {
	for _, g := range o.Groups {
		if err := subjects.ValidGroup(g); err != nil {
			return nil, err
		}
	}
	if o.Node != "" {
		if err := subjects.ValidNode(o.Node); err != nil {
			return nil, err
		}
	}
	p := &Plan{Prefix: names.Prefix()}
	for _, g := range o.Groups {
		p.Streams = append(p.Streams, names.StreamConfig(g, subjects.StreamLimits{Replicas: o.Replicas}))
	}
	p.Streams = append(p.Streams, registry.Streams(names, registry.Options{Replicas: o.Replicas})...)
	for _, r := range ops.Roles() {
		p.Roles = append(p.Roles, client(names, r))
	}
	p.Roles = append(p.Roles, coordinator(names, o.Groups), member(names, o.Groups, o.Node))
	for i := range p.Roles {
		slices.Sort(p.Roles[i].Publish)
		slices.Sort(p.Roles[i].Subscribe)
	}
	return p, nil
}

// Role gives a role by its name, or nil.
func (p *Plan) Role(name string) *Role {
	for i := range p.Roles {
		if p.Roles[i].Name == name {
			return &p.Roles[i]
		}
	}
	return nil
}

// discovery is where the NATS services framework asks.
const discovery = "$SRV.>"

func client(names subjects.Names, role ops.Role) Role {
	inbox := names.RoleInbox(string(role))
	r := Role{Name: string(role), Inbox: inbox, Subscribe: []string{inbox + ".>"}}
	for _, plane := range role.Planes() {
		r.Publish = append(r.Publish, plane.All(names))
	}
	if slices.Contains(role.Planes(), ops.Write) { // bodies that are larger than a message
		r.Publish = append(r.Publish, "$O."+names.ObjectBucket()+".>")
		r.Publish = append(r.Publish, reads("OBJ_"+names.ObjectBucket())...)
	}
	if slices.Contains(role.Planes(), ops.Admin) { // looking at single members, and at what happens
		r.Publish = append(r.Publish, names.Member("*", "*", "*"), discovery)
		r.Subscribe = append(r.Subscribe, names.AppliedAll(), names.EventMap())
	}
	return r
}

func coordinator(names subjects.Names, groups []string) Role {
	inbox := names.RoleInbox("c") // their inboxes for replies of members lie below
	uploads, documents := names.ObjectBucket(), names.DocumentBucket()
	r := Role{Name: Coordinator, Inbox: inbox, Subscribe: []string{inbox + ".>", discovery, names.AppliedAll()}}
	for _, plane := range ops.Administrator.Planes() {
		r.Subscribe = append(r.Subscribe, plane.All(names))
	}
	r.Publish = []string{
		names.RoleInbox(">"), names.Member("*", "*", "*"), names.EventMap(),
		"$KV." + names.Bucket() + ".map", "$KV." + names.Bucket() + ".collections.*",
		"$O." + uploads + ".>", "$JS.API.STREAM.PURGE.OBJ_" + uploads,
		"$O." + documents + ".>", "$JS.API.STREAM.PURGE.OBJ_" + documents,
	}
	r.Publish = append(r.Publish, reads("KV_"+names.Bucket())...)
	r.Publish = append(r.Publish, reads("OBJ_"+uploads)...)
	r.Publish = append(r.Publish, reads("OBJ_"+documents)...)
	for _, g := range groups {
		r.Publish = append(r.Publish, names.Log(g), names.LogOwn(g), "$JS.API.STREAM.INFO."+names.Stream(g),
			"$JS.API.DIRECT.GET."+names.Stream(g), "$JS.API.DIRECT.GET."+names.Stream(g)+"."+names.LogOwn(g))
	}
	return r
}

func member(names subjects.Names, groups []string, node string) Role {
	if node == "" {
		node = "*"
	}
	inbox := names.RoleInbox("m")
	r := Role{Name: Member, Inbox: inbox, Subscribe: []string{inbox + ".>", discovery}}
	r.Publish = append([]string{names.RoleInbox(">"), "$KV." + names.Bucket() + ".map"}, reads("KV_"+names.Bucket())...)
	r.Publish = append(r.Publish, reads("OBJ_"+names.DocumentBucket())...)
	for _, g := range groups {
		r.Subscribe = append(r.Subscribe, names.Member(g, node, "*"), names.Any(g, "*"), names.Tail(g), names.TailOwn(g), names.TailQuarantine(g))
		r.Publish = append(r.Publish, names.Member(g, "*", wire.OpDigest), names.Member(g, "*", wire.OpQuarantine)) // members of a group compare what they hold
		r.Publish = append(r.Publish, names.Log(g), names.LogQuarantine(g), names.Applied(g), "$KV."+names.Bucket()+".members."+g+"."+node)
		r.Publish = append(r.Publish, reads(names.Stream(g))...)
	}
	return r
}

// reads are the requests to JetStream that reading a stream takes.
func reads(stream string) []string {
	const api = "$JS.API."
	return []string{
		api + "STREAM.INFO." + stream,
		api + "DIRECT.GET." + stream, api + "DIRECT.GET." + stream + ".>",
		api + "CONSUMER.CREATE." + stream + ".>", api + "CONSUMER.INFO." + stream + ".*", api + "CONSUMER.DELETE." + stream + ".*",
		api + "CONSUMER.MSG.NEXT." + stream + ".*",
		"$JS.FC." + stream + ".>", // flow control of push consumers, which object stores are read by
	}
}
