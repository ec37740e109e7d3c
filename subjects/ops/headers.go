package ops

import (
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// headerPrefix begins every header of ours, in any case.
const headerPrefix = "jetseek-"

// Common gives the headers that every request may have.
func Common() []string { return []string{wire.HeaderBudgetMs, wire.HeaderFrames, wire.HeaderTimeoutMs} }

// Headers gives the headers that a request of the operation may have, sorted.
func (o *Op) Headers() []string {
	all := Common()
	for _, p := range o.Params {
		switch p.To {
		case Header:
			all = append(all, p.Key)
		case IDHeader:
			all = append(all, wire.HeaderID, wire.HeaderIDEscaped)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// CheckHeaders refuses what HTTP refuses among parameters: an unknown header of ours, and one that is given twice, so that a misspelt one is not simply
// ignored. Headers of others pass. known is what [Op.Headers] gives. The error is bad_request.
func CheckHeaders(header map[string][]string, known []string) error {
	var unknown []string
	for name, values := range header {
		if len(name) < len(headerPrefix) || !strings.EqualFold(name[:len(headerPrefix)], headerPrefix) {
			continue
		}
		if _, ok := slices.BinarySearch(known, name); !ok || len(values) > 1 {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	name := slices.Min(unknown)
	if n := len(header[name]); n > 1 {
		return fault.New(fault.BadRequest, "header %s is given %d times", fault.Quote(name), n)
	}
	return fault.New(fault.BadRequest, "unknown header %s; this operation takes %s", fault.Quote(name), strings.Join(known, ", "))
}
