package cellwall

import "time"

// Metered is an Interpreter that measures what runs in it beside its cells: threads
// and processes that they left running, checkpoints that are taken or gone back to,
// answers to Ask, an Export.
type Metered interface {
	// Between is the processor time, user and system, of all its processes that is in
	// no cell's Usage, since the first cell or Begin: also of those that have ended or
	// were rolled back. It never goes back, and each moment is either in it or in the
	// Usage of one cell. measured is false where the host does not count it, see
	// Boundary.Degraded.
	//
	// It waits for nobody and may be asked at any time. While a cell runs it is what it
	// was before. Behind Harvest or Close it is the last word.
	Between() (spent time.Duration, measured bool)
}
