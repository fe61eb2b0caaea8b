package native

import (
	"testing"
	"time"
)

// loop runs equal cells, on a machine that copies so many times slower than it
// should, and returns how many checkpoints they took, and how much time the copies
// for them cost.
func loop(cells int, wall time.Duration, changes int64, slow int) (taken int, copies time.Duration) {
	var p pace
	var copied int64
	for range cells {
		cost := wall
		if copied == 0 { // the first to touch the memory after a checkpoint copies it
			copied = changes
			cost += time.Duration(slow) * time.Duration(changes>>20) * copying
			copies += cost - wall
		}
		if p.ran(cost); p.due() {
			p.taken(copied)
			taken++
			copied = 0
		}
	}
	return taken, copies
}

func TestM40_CheckpointsAreSkippedWhereCellsKeepChangingMuchMemory(t *testing.T) {
	for _, tc := range []struct {
		name    string
		wall    time.Duration
		changes int64
		slow    int
		all     bool // after every cell
	}{
		{"Small", 5 * time.Millisecond, 1 << 20, 1, true},
		{"ShortAndMuch", 8 * time.Millisecond, 190 << 20, 1, false},
		{"OnABusyMachine", 27 * time.Millisecond, 190 << 20, 4, false},
		{"LongAndMuch", 2 * time.Second, 190 << 20, 1, true},
		{"ShortAndHuge", 30 * time.Millisecond, 2 << 30, 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const cells = 400
			taken, copies := loop(cells, tc.wall, tc.changes, tc.slow)
			if (taken == cells) != tc.all || taken == 0 {
				t.Errorf("%d checkpoints after %d cells, want one after each: %v", taken, cells, tc.all)
			}
			if plain := cells * tc.wall; copies > plain/2 {
				t.Errorf("the copies took %v beside cells of %v", copies, plain)
			}
		})
	}
}

func TestM40_CheckpointsComeBackWhenCellsGrowQuiet(t *testing.T) {
	var p pace
	p.ran(100 * time.Millisecond)
	if !p.due() {
		t.Fatal("the first checkpoint was put off, and nobody knew of the copies")
	}
	p.taken(190 << 20)
	if p.ran(8 * time.Millisecond); p.due() {
		t.Error("a checkpoint was due at once, after a cell that copied 190 MB for the last")
	}
	p.ran(time.Second)
	if !p.due() {
		t.Fatal("no checkpoint was due after a second of work")
	}
	p.taken(0)
	if p.ran(time.Millisecond); !p.due() {
		t.Error("a checkpoint was put off, and the cells change nothing any more")
	}
}
