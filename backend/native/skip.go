package native

import "time"

// A checkpoint costs nothing until the next cell changes memory in place: each
// page that it touches is copied first. A loop of cells that change hundreds of
// megabytes would take ten times as long.

const (
	// heavy is how much a cell has to have copied for its checkpoint before the
	// next one is put off.
	heavy = 64 << 20
	// copying is what the pages of a MiB cost that are copied, on a quiet machine.
	copying = 500 * time.Microsecond
	// doubt is how many times as much that may be on a busy one.
	doubt = 5
	// worth is how much time of cells a checkpoint has to save for each that it
	// costs them.
	worth = 3
)

// pace says when the next checkpoint is worth its price. What a cell that dies
// can lose is thereby bounded in time: a few times what the copies would cost.
type pace struct {
	price time.Duration // of the copies that the next one is going to cost
	spent time.Duration // by cells since the last, without the copies
	first time.Duration // of the cell that made the copies
	least time.Duration // of those after it; 0 = there was none
}

// ran notes a cell. The first after a checkpoint makes the copies.
func (p *pace) ran(wall time.Duration) {
	if p.first == 0 {
		p.first = wall
		p.spent = max(0, wall-doubt*p.price)
		return
	}
	p.spent += wall
	if p.least == 0 || wall < p.least {
		p.least = wall
	}
}

// due reports whether a checkpoint is to be taken now.
func (p *pace) due() bool { return p.spent >= worth*p.price }

// taken starts over. So many bytes the cells since the last checkpoint copied for
// it; those to come are taken to be like them.
func (p *pace) taken(copied int64) {
	var price time.Duration
	if copied >= heavy {
		price = time.Duration(copied>>20) * copying
		if p.least > 0 {
			price = max(price, p.first-p.least)
		}
	}
	*p = pace{price: price}
}
