package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/coordinator/client/highlight"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// clusterBudget bounds all calls of a cluster page.
const clusterBudget = 3 * time.Second

// clusterView is what the template of the cluster page shows.
type clusterView struct {
	Page    string
	Failure *failure
	Groups  []groupView
	Ring    *ringView // nil before the map is born
	Serving uint64
	Members uint64
	Docs    uint64
}

// groupView is one group with its members.
type groupView struct {
	Name    string
	Color   int    // of its slots in the ring
	Docs    uint64 // of the member that has applied most
	Slots   uint64
	Share   float64 // of the slots
	Serving bool
	Members []memberView
}

// memberView is one member.
type memberView struct {
	wire.MemberBody
	Look   string // good, waiting or bad
	Digest string // its beginning
}

// serveCluster makes the cluster page.
func (p *Pages) serveCluster(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), clusterBudget)
	defer cancel()
	view := clusterView{Page: "cluster"}
	members, err := p.client.Members(ctx)
	if err == nil {
		view.addMembers(members)
		err = p.addMap(ctx, &view)
	}
	status := http.StatusOK
	if err != nil {
		view.Failure = failureOf(err, "")
		status = wire.FromError(err).Status()
	}
	p.render(w, p.cluster, status, view)
}

// addMembers puts members under their groups. They come in order of group and node.
func (v *clusterView) addMembers(members []wire.MemberBody) {
	for _, m := range members {
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Name != m.Group {
			v.Groups = append(v.Groups, groupView{Name: m.Group, Color: n % colors})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Members = append(g.Members, viewMember(m))
		v.Members++
		if m.State == "serving" {
			v.Serving++
			g.Serving = true
		}
		if m.Documents > g.Docs {
			v.Docs += m.Documents - g.Docs
			g.Docs = m.Documents
		}
	}
}

func viewMember(m wire.MemberBody) memberView {
	v := memberView{MemberBody: m, Look: "bad", Digest: m.Digest}
	switch m.State {
	case "serving":
		v.Look = "good"
	case "joining", "fenced", "stalled", "draining":
		v.Look = "waiting"
	}
	v.Digest, _ = highlight.Cut(m.Digest, 8)
	return v
}

// addMap adds who owns which slots, once there is a map.
func (p *Pages) addMap(ctx context.Context, v *clusterView) error {
	m, err := p.readMap(ctx)
	if e := wire.FromError(err); e != nil && e.Code == fault.Unavailable && e.Reason == "no_map" {
		return nil // no collection was created yet: nothing is owned
	}
	if err != nil {
		return err
	}
	counts := m.Counts()
	for i, g := range m.Groups {
		at := slices.IndexFunc(v.Groups, func(have groupView) bool { return have.Name == g.Name })
		if at < 0 {
			v.Groups = append(v.Groups, groupView{Name: g.Name, Color: len(v.Groups) % colors})
			at = len(v.Groups) - 1
		}
		v.Groups[at].Slots = uint64(counts[i])
		v.Groups[at].Share = float64(counts[i]) / placement.Slots
	}
	v.Ring = drawRing(m, func(group string) int {
		return v.Groups[slices.IndexFunc(v.Groups, func(g groupView) bool { return g.Name == group })].Color
	})
	return nil
}

func (p *Pages) readMap(ctx context.Context) (*placement.Map, error) {
	reply, err := p.client.Do(ctx, client.Request{Subject: ops.Map.Subject(p.client.Names(), ""), Body: []byte("{}")})
	if err != nil {
		return nil, err
	}
	if err := reply.Err(); err != nil {
		return nil, err
	}
	m, err := placement.Parse(reply.Body)
	if err != nil {
		return nil, wire.NewError(fault.Unavailable, client.ReasonBadReply, "the map cannot be read: %v", err)
	}
	return m, nil
}
