package backendtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// runBeside holds a backend that carries states to what an Exporter promises.
func runBeside(t *testing.T, s Setup) {
	t.Run("BothGoOnAndKnowNothingOfEachOther", func(t *testing.T) { bothGoOn(t, s) })
	t.Run("WhatCannotComeIsNamed", func(t *testing.T) { namesWhatStays(t, s) })
	t.Run("CodeOfCellsChangesNothingInTheOrigin", func(t *testing.T) { packsApart(t, s) })
	t.Run("AStateIsCodeOfItsOwnSandboxOnly", func(t *testing.T) { runsInside(t, s) })
	t.Run("PackingThatHangsEndsWithItsCaller", func(t *testing.T) { hangs(t, s) })
	t.Run("ADamagedStateIsRefusedAndTheSessionStands", func(t *testing.T) { damaged(t, s) })
	t.Run("AStateThatDoesNotFitIsAMemoryLimit", func(t *testing.T) { doesNotFit(t, s) })
	t.Run("ACheckpointThatWasPutOffIsTaken", func(t *testing.T) { putOff(t, s) })
	t.Run("AFrameOfAHundredMegabytes", func(t *testing.T) { largeState(t, s) })
	t.Run("BesideACellItIsAConflict", func(t *testing.T) { conflictsBeside(t, s) })
}

// export has a notebook's state written; lost are the codes and names of what is
// not in it.
func (n *notebook) export(ctx context.Context, w io.Writer) (lost string, err error) {
	n.t.Helper()
	from, ok := n.Interpreter.(cellwall.Exporter)
	if !ok {
		n.t.Fatalf("a %T is no Exporter", n.Interpreter)
	}
	notices, err := from.Export(ctx, w)
	for _, l := range notices {
		lost += l.Code + " " + l.Args["names"] + "\n"
	}
	return lost, err
}

// state is a notebook's state, of which nothing may be lost.
func (n *notebook) state() []byte {
	n.t.Helper()
	var b bytes.Buffer
	if lost, err := n.export(n.t.Context(), &b); err != nil || lost != "" {
		n.t.Fatalf("export: %v, lost %q", err, lost)
	}
	return b.Bytes()
}

// arrive begins another session with a state.
func arrive(t *testing.T, s Setup, l cellwall.Limits, state io.Reader) (*notebook, cellwall.End) {
	t.Helper()
	n := bind(t, s, l)
	end, err := n.Begin(t.Context(), cellwall.Code{
		Execution: cellwall.NewID(cellwall.PrefixExecution), Timeout: testkit.Scale(8 * time.Second), State: state,
	}, ignore)
	if err != nil {
		t.Fatal(err)
	}
	return n, end
}

// beside is a notebook with the state of another.
func (n *notebook) beside(s Setup) *notebook {
	n.t.Helper()
	branch, end := arrive(n.t, s, cellwall.Limits{}, bytes.NewReader(n.state()))
	if end.Status != cellwall.StatusOK {
		n.t.Fatalf("the state arrived %s %s", end.Status, end.Cause)
	}
	branch.cells = n.cells
	return branch
}

func bothGoOn(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("import random, os\nclass Point:\n    def __init__(self, x): self.x = x\ndef twice(p): return 2 * p.x\np = Point(4)\nt = pd.DataFrame({'n': [1, 2]})\nrandom.seed(1)\nos.environ['A'] = 'b'", "")
	n.says(turn(1)+"\nos.mkdir('d'); os.chdir('d')", "")
	branch := n.beside(s)
	const shown = "print(x, open('../f').read(), twice(p), t.n.sum(), os.environ['A'], os.getcwd(), In[1][:6], len(In))"
	for _, each := range []*notebook{n, branch} {
		each.says(shown, "1 1 8 3 b /workspace/output/d import 4")
	}
	branch.says("os.chdir('..')\n"+turn(2), "")
	n.says("os.chdir('..')\n"+look, "1 1")
	branch.says(look, "2 2")
	branch.died(branch.cell("x = 9\nos._exit(3)"), "crashed exit:3")
	branch.says(look, "2 2")
	n.died(n.cell("x = 9\nos._exit(3)"), "crashed exit:3")
	n.says(look, "1 1")
}

func namesWhatStays(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("import threading, time, socket\nx = 41\ng = (n for n in [1])\nf = open('f', 'w')\nthreading.Thread(target=time.sleep, args=(99,), daemon=True, name='sleeper').start()", "")
	var b bytes.Buffer
	lost, err := n.export(t.Context(), &b)
	for _, want := range []string{cellwall.LostVariables + " ", "g (generator)", "f (_io.TextIOWrapper)", cellwall.LostThreads + " sleeper"} {
		if err != nil || !strings.Contains(lost, want) {
			t.Errorf("lost is %q, %v; want %q in it", lost, err, want)
		}
	}
	branch, end := arrive(t, s, cellwall.Limits{}, &b)
	if end.Status != cellwall.StatusOK {
		t.Errorf("it arrived %s %s", end.Status, end.Cause)
	}
	branch.says("print(x + 1, 'g' in globals())", "42 False")
	n.says("print(next(g))", "1")
}

// packsApart: pickling runs code of cells, in a process that is nobody's live one.
func packsApart(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 1\nclass Odd:\n    def __reduce__(self):\n        global x\n        x += 1\n        return (int, (7,))\nodd = Odd()", "")
	branch := n.beside(s)
	n.says("print(x)", "1")
	branch.says("print(odd)", "7")
}

func runsInside(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("class Bomb:\n    def __reduce__(self): return (exec, (\"open('/workspace/output/mark', 'w').close()\",))\nb = Bomb()", "")
	branch := n.beside(s)
	branch.says("import os\nprint(os.listdir('.'))", "['mark']")
	n.says("import os\nprint(os.listdir('.'))", "[]")
}

func hangs(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 41\nclass Slow:\n    def __reduce__(self):\n        while True: pass\nslow = Slow()", "")
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(time.Second))
	defer cancel()
	if _, err := n.export(ctx, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("export: %v, want that its time was over", err)
	}
	n.says("print(x + 1)", "42")
}

func damaged(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("x = 41", "")
	whole := n.state()
	for _, state := range [][]byte{nil, whole[:len(whole)-4], whole[:len(whole)/2], bytes.Repeat([]byte{0xff}, 1<<20)} {
		branch, end := arrive(t, s, cellwall.Limits{}, bytes.NewReader(state))
		if end.Status != cellwall.StatusError {
			t.Errorf("%d bytes of %d arrived %s %s, want an error", len(state), len(whole), end.Status, end.Cause)
		}
		branch.says("print(1)", "1")
	}
}

func doesNotFit(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("import numpy\nbig = numpy.ones(20 << 20)", "") // 160 MiB
	_, end := arrive(t, s, cellwall.Limits{MemoryBytes: 128 * cellwall.MiB}, bytes.NewReader(n.state()))
	if end.Status != cellwall.StatusMemoryLimit || end.Restored == nil {
		t.Errorf("it arrived %s %s, restored %+v", end.Status, end.Cause, end.Restored)
	}
	n.says("print(big[7])", "1.0")
}

func putOff(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{MemoryBytes: 1 * cellwall.GiB})
	n.says("import numpy\nbig = numpy.ones(24 << 20)", "")
	for range 6 { // it costs more than it saves, so some are put off
		n.says("big += 1", "")
	}
	branch, end := arrive(t, s, cellwall.Limits{MemoryBytes: 1 * cellwall.GiB}, bytes.NewReader(n.state()))
	if end.Status != cellwall.StatusOK {
		t.Fatalf("it arrived %s %s", end.Status, end.Cause)
	}
	branch.says("print(big[7])", "7.0")
}

func largeState(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.says("t = pd.DataFrame({c: np.arange(1 << 20) for c in 'abcdefghijkl'})\nu = {'t': t}", "")
	began := time.Now()
	branch := n.beside(s)
	t.Logf("96 MiB are there after %v", time.Since(began).Round(time.Millisecond))
	branch.says("t['a'] += 1\nprint(u['t'] is t, t.a[1], t.shape)", "True 2 (1048576, 12)")
}

func conflictsBeside(t *testing.T, s Setup) {
	n := begin(t, s, cellwall.Limits{})
	n.whenOn("x = 1\n"+busy, func() error {
		if _, err := n.export(t.Context(), io.Discard); cellwall.CodeOf(err) != cellwall.CodeConflict {
			t.Errorf("export beside a cell: %v, want a conflict", err)
		}
		return n.Interrupt("")
	})
	n.beside(s).says("print(x)", "2") // busy has set it
}
