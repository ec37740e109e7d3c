//go:build !broken_session

package coordinator

import "github.com/jetseek/jetseek/subjects/wire"

// minSeqOf gives the sequence that a search wants of a group at least.
func minSeqOf(body *wire.SearchBody, group string) uint64 { return body.MinSeq[group] }
