package api

import (
	"errors"
	"time"

	"github.com/cellwall/cellwall"
)

// outgoing counts the bytes of large answers that are in memory until their clients
// have read them. Who asks on and reads nothing takes no more than its share, an eighth,
// so that it is never the others' memory.
type outgoing struct{ *room }

const (
	defaultOutgoing = 256 * cellwall.MiB
	smallAnswer     = 64 * cellwall.KiB // up to here nobody counts: the connections are bounded
	outgoingWait    = 5 * time.Second   // a client that reads nothing is gone after writePatience
)

func newOutgoing(most int64) outgoing {
	if most <= 0 {
		most = defaultOutgoing
	}
	return outgoing{newRoom(most)}
}

// take counts an answer before it is read from the store, or fails with CodeBusy. One
// alone always goes, however large it is.
func (o outgoing) take(tenant string, n int64) (give func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n > smallAnswer {
		err = o.refused(tenant, n)
	}
	if err != nil {
		return nil, err
	}
	return o.counted(tenant, n), nil
}

// check refuses work whose answer would have no room. It comes before the work: what
// ran is answered.
func (o outgoing) check(tenant string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.refused(tenant, smallAnswer)
}

// add counts the answer of what ran.
func (o outgoing) add(tenant string, n int) (give func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.counted(tenant, int64(n))
}

func (o outgoing) refused(tenant string, n int64) error {
	why := ""
	switch own := o.each[tenant]; {
	case own > 0 && own+n > o.most/8:
		why = "answers of this tenant wait to be read"
	case o.all > 0 && o.all+n > o.most:
		why = "too many answers wait to be read"
	default:
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeBusy, Op: "answer", Err: errors.New(why),
		Hint: "read the answers that are on their way, or close their connections; results are kept", RetryAfter: outgoingWait,
	}
}

// counted counts a large answer. The caller holds mu.
func (o outgoing) counted(tenant string, n int64) (give func()) {
	if n <= smallAnswer {
		return func() {}
	}
	o.count(tenant, n)
	return func() { o.give(tenant, n) }
}
