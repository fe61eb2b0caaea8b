package native

import (
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// service is how long a run has the full weight. Few analyses take longer.
const service = 500 * time.Millisecond

// weighty is a control group whose share of the processors can be set.
type weighty interface{ SetWeight(weight int) error }

// veterans are the runs that take long. Together they weigh half as much as one
// new run per processor, however many they are: a crowd of them does not keep a
// short run waiting, and few of them are hardly slower than before, unless a run
// that goes before all others is beside them. The zero value is not usable.
type veterans struct {
	processors int
	logger     *slog.Logger

	mu     sync.Mutex
	groups map[weighty]bool
	weight int // of each one
}

func newVeterans(processors int, logger *slog.Logger) *veterans {
	return &veterans{processors: processors, logger: logger, groups: map[weighty]bool{}}
}

// join makes a group's run a veteran.
func (v *veterans) join(g weighty) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.groups[g] = true
	if !v.share() {
		v.tell(g, v.weight)
	}
}

// leave gives a group its weight back, with which it is sooner gone.
func (v *veterans) leave(g weighty) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.groups[g] {
		delete(v.groups, g)
		v.tell(g, cgroup.FullWeight)
		v.share()
	}
}

// preferred is the weight of a run that goes before those of others: it has a
// processor nearly for itself as long as it is no veteran.
const preferred = cgroup.MostWeight

// serve has a run weigh what its precedence says, and makes it a veteran when it
// has been served for long. The returned function ends that.
func (b *Backend) serve(g *cgroup.Group, precedence cellwall.Precedence) (end func()) {
	if g == nil {
		return func() {}
	}
	return b.veterans.serve(g, precedence)
}

func (v *veterans) serve(g weighty, precedence cellwall.Precedence) (end func()) {
	if precedence == cellwall.Before {
		v.tell(g, preferred)
	}
	joined := make(chan struct{})
	long := time.AfterFunc(service, func() {
		defer close(joined)
		v.join(g)
	})
	return func() {
		switch {
		case !long.Stop():
			<-joined
			v.leave(g)
		case precedence == cellwall.Before:
			v.tell(g, cgroup.FullWeight)
		}
	}
}

// opening is the weight of a sandbox while it is opened ahead of need: who runs
// goes first.
const opening = cgroup.FullWeight / 4

// behindRuns lets runs go before a group until the returned function is called.
func (v *veterans) behindRuns(g weighty) (end func()) {
	v.tell(g, opening)
	return func() { v.tell(g, cgroup.FullWeight) }
}

// share finds the weight of one and, when it has changed, tells it to all. Steps
// of two keep that rare. The caller holds mu.
func (v *veterans) share() (told bool) {
	weight := cgroup.FullWeight / 2
	for weight > 2 && weight*len(v.groups) > cgroup.FullWeight/2*v.processors {
		weight /= 2
	}
	if weight == v.weight {
		return false
	}
	v.weight = weight
	for g := range v.groups {
		v.tell(g, v.weight)
	}
	return true
}

// tell sets the weight of one; a share of the processors is a courtesy, not a
// protection.
func (v *veterans) tell(g weighty, weight int) {
	err := g.SetWeight(weight)
	if err != nil && !errors.Is(err, cgroup.ErrUnavailable) && !errors.Is(err, fs.ErrNotExist) {
		v.logger.Warn("share processors", "error", err)
	}
}
