package native

import "time"

// A checkpoint costs nothing until the next cell changes memory in place: each
// page that it touches is copied first. A loop of cells that change hundreds of
// megabytes would take ten times as long.

const (
	// heavy is how much a cell has to have copied for its checkpoint before the
	// next one is put off.
	heavy = 64 << 20
	// copying is what a page costs that is copied, for a MiB of them.
	copying = 500 * time.Microsecond
	// worth is how much time of cells a checkpoint has to save for each that it
	// costs them, itself included.
	worth = 4
)

// pace says when the next checkpoint is worth its price. What a cell that dies
// can lose is thereby bounded in time: a few times what the copies would cost.
type pace struct {
	price time.Duration // of the copies that the next one is going to cost
	spent time.Duration // by cells since the last
}

// ran notes a cell.
func (p *pace) ran(wall time.Duration) { p.spent += wall }

// due reports whether a checkpoint is to be taken now.
func (p *pace) due() bool { return p.spent >= worth*p.price }

// taken starts over. So many bytes the cells since the last checkpoint copied for
// it; those to come are taken to be like them.
func (p *pace) taken(copied int64) {
	*p = pace{}
	if copied >= heavy {
		p.price = time.Duration(copied>>20) * copying
	}
}
