package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/cellwall/cellwall"
)

// EntryCall is what the record says of one call out of the sandbox.
type EntryCall struct {
	Number          uint64  `json:"number"`
	Name            string  `json:"name"`
	Arguments       string  `json:"arguments"` // their beginning, as JSON
	ArgumentsSHA256 string  `json:"arguments_sha256"`
	Outcome         string  `json:"outcome"` // ok, or a cellwall.CallFailure
	ResultBytes     int     `json:"result_bytes"`
	MS              float64 `json:"ms"`
}

// Bounds of an EntryCall.
const (
	maxCallName    = 64
	maxCallSummary = 300
)

func summary(arguments []byte) string {
	return cut(strings.ToValidUTF8(string(arguments[:min(len(arguments), 2*maxCallSummary)]), "\uFFFD"), maxCallSummary)
}

func digestOf(arguments []byte) string {
	sum := sha256.Sum256(arguments)
	return hex.EncodeToString(sum[:])
}

// calls are those that were made, in the order in which they ended, and how many more a
// bound refused.
func (x *execution) calls() (made []EntryCall, refused int) {
	if x.desk == nil {
		return nil, 0
	}
	x.desk.mu.Lock()
	defer x.desk.mu.Unlock()
	return x.desk.noted, x.desk.over
}

// maskedCounts are those of the execution and of its calls.
func (x *execution) maskedCounts() map[string]int {
	counts := map[string]int{}
	for _, m := range []Masking{x.masking, x.desk.told()} {
		if m != nil {
			for kind, n := range m.Counts() {
				counts[kind] += n
			}
		}
	}
	return counts
}

// told masks what calls tell outside; nil = nothing is masked there.
func (d *desk) told() Masking {
	if d == nil {
		return nil
	}
	return d.masking
}

// called reports whether another execution called for this one, and waits: it takes no
// turn, and tells nobody but that one.
func called(req cellwall.Request) bool { return req.Parent != "" }
