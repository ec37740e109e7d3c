//go:build broken_session

package coordinator

import "github.com/jetseek/jetseek/subjects/wire"

// minSeqOf is broken on purpose: what the caller has seen does not count.
func minSeqOf(*wire.SearchBody, string) uint64 { return 0 }
