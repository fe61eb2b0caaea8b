package native_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// answer is what a caller in the child was told, as the child prints it.
type answer struct {
	ID        string              `json:"id"`
	Status    cellwall.Status     `json:"status"`
	Cause     cellwall.Cause      `json:"cause"`
	Want      cellwall.Status     `json:"want"`
	Right     bool                `json:"right"` // the output is the program's
	Artifacts []cellwall.Artifact `json:"artifacts"`
	Failure   string              `json:"failure"` // Cellwall's own error instead
}

// fits reports whether the answer is one that may be given: the program's own
// end or, after a blow, that it was killed or that we failed – nothing else.
func (a answer) fits(struck bool) bool {
	switch {
	case a.Failure != "":
		return struck
	case a.Status == a.Want:
		return a.Status != cellwall.StatusOK || a.Right
	}
	return struck && a.Status == cellwall.StatusCrashed && a.Cause == "signal:SIGKILL"
}

// chaosPrograms are the load: short and longer ones, with and without
// processes, files and hostility.
var chaosPrograms = []struct {
	code   string
	prints string
	status cellwall.Status
}{
	{"print(%[1]d)", "%[1]d\n", cellwall.StatusOK},
	{"open('kept.txt', 'w').write('%[1]d' * 999)\nprint(%[1]d)", "%[1]d\n", cellwall.StatusOK},
	{"import time\ntime.sleep(0.1)\nprint(%[1]d)", "%[1]d\n", cellwall.StatusOK},
	{"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(%[1]d)'])", "%[1]d\n", cellwall.StatusOK},
	{"import pandas as pd\nprint(pd.Series([%[1]d]).sum())", "%[1]d\n", cellwall.StatusOK},
	{"import os\nos.fork()\nos.abort()", "", cellwall.StatusCrashed},
}

// underLoad executes until standard input ends, and prints each answer once it
// was given.
func underLoad(t *testing.T, s backendtest.Setup) {
	var stop atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop.Store(true)
	}()
	var print sync.Mutex
	var load sync.WaitGroup
	for lane := range 4 {
		load.Go(func() {
			for n := lane; !stop.Load(); n += 4 {
				line, err := json.Marshal(chaosExecute(t.Context(), s, n))
				if err != nil {
					panic(err)
				}
				print.Lock()
				fmt.Printf("answer %s\n", line)
				print.Unlock()
			}
		})
	}
	load.Wait()
}

func chaosExecute(ctx context.Context, s backendtest.Setup, n int) answer {
	program := chaosPrograms[n%len(chaosPrograms)]
	code, prints := program.code, program.prints
	if program.prints != "" {
		code, prints = fmt.Sprintf(code, n), fmt.Sprintf(prints, n)
	}
	result, err := s.Execute(ctx, cellwall.Request{
		Identity: cellwall.Identity{Tenant: "chaos"}, Code: code, Environment: s.Environment.Name,
		Limits: cellwall.Limits{Timeout: testkit.Scale(time.Minute)},
	})
	if err != nil {
		return answer{Failure: err.Error()}
	}
	return answer{
		ID: result.ID, Status: result.Status, Cause: result.Cause, Want: program.status,
		Right: result.Stdout.Text == prints, Artifacts: result.Artifacts,
	}
}

// chaos is the parent's hold on a controller.
type chaos struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	read   chan struct{} // closed when its output has ended
	killed bool

	mu      sync.Mutex // guards the rest
	answers []answer
	words   []string // what else it printed
	more    chan struct{}
}

// startChaos starts a controller that prints to a pipe of ours.
func startChaos(t *testing.T, state string) *chaos {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+strings.SplitN(t.Name(), "/", 2)[0]+"$", "-test.v")
	cmd.Env = append(os.Environ(), chaosPlace+"="+state)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Both into one pipe that wardens do not hold: its end is the controller's.
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	c := &chaos{cmd: cmd, stdin: stdin, read: make(chan struct{}), more: make(chan struct{}, 1)}
	go c.listen(out)
	return c
}

func (c *chaos) listen(out *os.File) {
	defer close(c.read)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, isAnswer := strings.CutPrefix(lines.Text(), "answer ")
		var a answer
		c.mu.Lock()
		if isAnswer && json.Unmarshal([]byte(text), &a) == nil {
			c.answers = append(c.answers, a)
		} else {
			c.words = append(c.words, lines.Text())
		}
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

func (c *chaos) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.answers)
}

func (c *chaos) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.words, "\n")
}

// await waits until n more programs have ended well.
func (c *chaos) await(t *testing.T, n int) {
	t.Helper()
	from := c.count()
	guard := time.After(testkit.Scale(2 * time.Minute))
	for {
		c.mu.Lock()
		well := 0
		for _, a := range c.answers[from:] {
			if a.Status == cellwall.StatusOK {
				well++
			}
		}
		c.mu.Unlock()
		if well >= n {
			return
		}
		select {
		case <-c.more:
		case <-c.read:
			t.Fatalf("the controller has ended by itself: %s", c.said())
		case <-guard:
			t.Fatalf("%d programs ended well, want %d: %s", well, n, c.said())
		}
	}
}

// strike kills one of the controller's processes of a kind, as soon as there is
// one.
func (c *chaos) strike(t *testing.T, kind string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if found := below(c.cmd.Process.Pid, kind); len(found) > 0 {
			if err := syscall.Kill(found[len(found)/2], syscall.SIGKILL); err == nil {
				return
			}
		}
		if time.Since(began) > testkit.Scale(time.Minute) {
			t.Fatalf("there is no %s: %s", kind, c.said())
		}
	}
}

func (c *chaos) kill() {
	if c.killed {
		return
	}
	c.killed = true
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// end closes a controller that lives, and returns all answers.
func (c *chaos) end(t *testing.T) []answer {
	t.Helper()
	c.stdin.Close()
	if !c.killed {
		c.killed = true
		guard := time.AfterFunc(testkit.Scale(time.Minute), func() { _ = c.cmd.Process.Kill() })
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("the controller ended with %v: %s", err, c.said())
		}
		guard.Stop()
	}
	<-c.read
	return slices.Clone(c.answers)
}
