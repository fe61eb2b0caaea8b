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
	copied int64         // bytes that the cells since the last checkpoint copied for it, as of the last look
	price  time.Duration // of the copies that the next one is going to cost
	spent  time.Duration // by cells since the last
}

// ran notes a cell and what is copied for the last checkpoint by now.
func (p *pace) ran(wall time.Duration, copied int64) {
	p.spent += wall
	p.copied = copied
}

// due reports whether a checkpoint is to be taken now.
func (p *pace) due() bool { return p.spent >= worth*p.price }

// taken starts over: the cells to come are taken to be like those that were.
func (p *pace) taken() {
	p.price = 0
	if p.copied >= heavy {
		p.price = time.Duration(p.copied>>20) * copying
	}
	p.spent, p.copied = 0, 0
}
