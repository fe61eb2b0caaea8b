package native_test

import (
	"bytes"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// A cell of these returns at once, and leaves 300 ms of processor time to be used
// behind it: by a thread, or by a child that nobody waits for.
const (
	leavesThread = `
import threading, time
def burn():
    while time.thread_time() < 0.3: pass
threading.Thread(target=burn).start()`
	leavesChild = `
import os, time
if os.fork() == 0:
    while time.process_time() < 0.3: pass
    os._exit(0)`
	left = 300 * time.Millisecond
)

// spare is what checkpoints of a few cells take at most, 5 ms each on a quiet host.
func spare() time.Duration { return testkit.Scale(200 * time.Millisecond) }

// between is what the session says of the time beside its cells.
func (n *notebook) between() time.Duration {
	n.t.Helper()
	spent, measured := n.Interpreter.(cellwall.Metered).Between()
	if !measured {
		n.t.Fatal("what ran between cells was not measured")
	}
	return spent
}

// idles waits until what was left behind has run, and returns what it took since
// then.
func (n *notebook) idles(since, least time.Duration) time.Duration {
	n.t.Helper()
	if _, err := n.Interpreter.(cellwall.Checkpointer).Checkpoints(n.t.Context()); err != nil { // the last one is taken by then
		n.t.Fatal(err)
	}
	for end := time.Now().Add(testkit.Scale(30 * time.Second)); n.between()-since < least && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // for more than there should be
	return n.between() - since
}

func TestM42_WhatCellsLeaveRunningIsMetered(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	before := n.between()
	for _, code := range []string{leavesThread, leavesChild} {
		began, cpu := time.Now(), n.cell(code).Usage.CPUMS
		took := n.idles(before, left*9/10) // the cell has had some of it
		if took < left*9/10 || took > left+spare() || took > time.Since(began)+spare() {
			t.Errorf("between cells ran %v in %v, of about %v: %s", took, time.Since(began), left, code)
		}
		next := n.cell("pass").Usage.CPUMS
		if most := milliseconds(spare()); cpu > most || next > most {
			t.Errorf("the cells before and behind it have %v and %v ms, which are not theirs", cpu, next)
		}
		before = n.between()
	}
	n.idles(before, 0) // its checkpoint is taken
	before = n.between()
	time.Sleep(500 * time.Millisecond)
	if took := n.between() - before; took > testkit.Scale(20*time.Millisecond) {
		t.Errorf("nothing was left running, and %v ran in half a second", took)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestM42_ACellsOwnTimeIsNotBetweenCells(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	before := n.between()
	got := n.cell(leavesThread + "\nfor t in threading.enumerate():\n    if t is not threading.current_thread(): t.join()")
	if took := n.idles(before, 0); got.Usage.CPUMS < milliseconds(left) || took > spare() {
		t.Errorf("the cell has %v ms and what ran behind it %v: it waited for its thread", got.Usage.CPUMS, took)
	}
}

// What ran is paid once, whatever becomes of it: its process is ended by a rollback,
// or by the death of a cell, and another takes its place.
func TestM42_GoingBackNeitherLosesNorCountsTwice(t *testing.T) {
	testkit.RequireRoot(t)
	b := open(t)
	for _, way := range []struct {
		name string
		back func(*notebook)
	}{
		{"Rollback", func(n *notebook) {
			if _, err := n.Interpreter.(cellwall.Checkpointer).Rollback(n.t.Context(), cellwall.Return{}); err != nil {
				n.t.Fatal(err)
			}
		}},
		{"Death", func(n *notebook) { n.cell("import os\nos._exit(7)") }},
	} {
		t.Run(way.name, func(t *testing.T) {
			n := begin(t, b, cellwall.Limits{})
			n.cell("x = 1")
			first := n.between()
			for range 2 {
				before := n.between()
				n.cell(leavesThread)
				ran := n.idles(before, left*9/10)
				way.back(n)
				if back := n.between() - before; back < ran || back > left+spare() {
					t.Errorf("%v had run, and %v when the session had gone back", ran, back)
				}
			}
			if all := n.idles(first, 0); all < 2*left*9/10 || all > 2*(left+spare()) {
				t.Errorf("%v ran in all, of about %v", all, 2*left)
			}
		})
	}
}

// The thread notes in a file what it has used, until the moment it is ended.
func TestM42_ClosingASessionCountsTheRest(t *testing.T) {
	testkit.RequireRoot(t)
	n := begin(t, open(t), cellwall.Limits{})
	cell := n.cell(`
import os, threading, time
notes = os.open("notes", os.O_CREAT | os.O_RDWR)
def burn():
    while True: os.pwrite(notes, b"%.6f" % time.thread_time(), 0)
threading.Thread(target=burn, daemon=True).start()`)
	n.idles(0, left)
	tree, err := n.Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := n.between()
	f, err := tree.Open("notes")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	f.Close()
	noted, parseErr := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	if err != nil || parseErr != nil {
		t.Fatal(err, parseErr)
	}
	used := time.Duration(noted*float64(time.Second)) - time.Duration(cell.Usage.CPUMS*float64(time.Millisecond))
	if last < max(used, left) || last > used+2*spare() {
		t.Errorf("%v between cells, the thread alone says %v", last, used)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if closed := n.between(); closed < last || closed > last+spare() {
		t.Errorf("%v when it was closed, %v before", closed, last)
	}
}
