package api

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
)

// staging is what a call has on the disk before it is kept, or used: counted, since
// many calls at once would fill the disk with what none of them may keep.
type staging struct {
	s      *Server
	tenant string
	share  int64
	n      atomic.Int64
}

// stagedTimes is how often the largest input of a tenant it may have on its way.
const stagedTimes = 2

// stage counts what a call of who puts on the disk. What is to be kept is no more
// than the tenant may keep.
func (s *Server) stage(who cellwall.Identity, kept bool) *staging {
	share := stagedTimes * s.inputBytes(who)
	if t, err := s.opts.Keys.Tenant(who.Tenant); err == nil && kept && t.Terms.StoreBytes > 0 {
		share = min(share, t.Terms.StoreBytes)
	}
	return &staging{s: s, tenant: who.Tenant, share: share + cellwall.MiB} // for what is read at a time, and then found too large
}

// of counts what r gives.
func (g *staging) of(r io.Reader) io.Reader { return &stagedReader{g, r} }

// close is called when nothing lies on the disk any more, or is counted as kept.
func (g *staging) close() {
	if g != nil {
		g.s.seats.staged.give(g.tenant, g.n.Swap(0))
	}
}

type stagedReader struct {
	g *staging
	r io.Reader
}

func (s *stagedReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n == 0 {
		return n, err
	}
	if s.g.s.seats.staged.take(s.g.tenant, int64(n), s.g.share) != nil {
		return 0, &cellwall.Error{
			Code: cellwall.CodeRateLimited, Op: "read body", Err: fmt.Errorf("files of the tenant that are on their way are more than %d bytes", s.g.share),
			Hint: "send fewer at once", RetryAfter: time.Second,
		}
	}
	s.g.n.Add(int64(n))
	return n, err
}
