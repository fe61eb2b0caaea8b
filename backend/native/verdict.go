package native

import (
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/guest"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/signame"
)

// evidence is all that is known about an end. Only done is the sandbox's own
// word; it can make the difference between ok and error, and nothing else.
type evidence struct {
	cancelled bool
	deadline  bool
	events    cgroup.Events
	output    bool // more output than allowed
	full      bool // a file system in memory is full
	protocol  error
	done      *guest.Done
	exit      exitEvent // when it left before done
}

// verdict names the one cause by the precedence of cellwall.Status. A limit
// that was met by code which ended ok is told as the cause of an ok end, but a
// process that was killed for want of memory is never made good: version 2 ends
// the whole group with it, and here nobody may be faster than the one who looks.
func verdict(e evidence) (cellwall.Status, cellwall.Cause) {
	ok := e.done != nil && e.done.OK
	limit, cause := met(e)
	switch {
	case e.cancelled:
		return cellwall.StatusCancelled, cellwall.CauseCancelled
	case e.deadline:
		return cellwall.StatusTimeout, cellwall.CauseDeadline
	case e.events.OOMKills > 0:
		return cellwall.StatusMemoryLimit, cellwall.CauseOOM
	case e.output:
		return cellwall.StatusOutputLimit, cellwall.CauseOutput
	case ok:
		return cellwall.StatusOK, cause
	case limit != "":
		return limit, cause
	case e.protocol != nil:
		return cellwall.StatusCrashed, cellwall.CauseProtocol
	case e.done != nil:
		return cellwall.StatusError, cellwall.CauseException
	case e.exit.Signal != 0:
		return cellwall.StatusCrashed, cellwall.Cause(fmt.Sprintf("%s:%s", cellwall.CauseSignal, signame.Of(e.exit.Signal)))
	default:
		return cellwall.StatusCrashed, cellwall.Cause(fmt.Sprintf("%s:%d", cellwall.CauseExit, e.exit.Code))
	}
}

// met returns the first limit that was reached, in order of precedence.
func met(e evidence) (cellwall.Status, cellwall.Cause) {
	switch all := reached(e); {
	case len(all) == 0:
		return "", cellwall.CauseNone
	case all[0] == cellwall.CauseOOM:
		return cellwall.StatusMemoryLimit, all[0]
	case all[0] == cellwall.CauseProcesses:
		return cellwall.StatusProcessLimit, all[0]
	default:
		return cellwall.StatusDiskLimit, all[0]
	}
}

// reached lists every limit that was met, in order of precedence: a run may
// meet one and end of another.
func reached(e evidence) []cellwall.Cause {
	var all []cellwall.Cause
	if e.events.OOMKills > 0 {
		all = append(all, cellwall.CauseOOM)
	}
	if e.events.PIDsMax > 0 {
		all = append(all, cellwall.CauseProcesses)
	}
	if e.full {
		all = append(all, cellwall.CauseDisk)
	}
	return all
}
