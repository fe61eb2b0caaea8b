package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// person is somebody at a real pseudo-terminal with the program in it.
type person struct {
	t        *testing.T
	tty      *os.File
	terminal string // what it says when it is asked what it is
	command  *exec.Cmd
	done     chan struct{} // closed when nothing more comes

	mu   sync.Mutex
	seen bytes.Buffer // what the terminal was told
	read int          // how much of it was waited for
}

// patience is only a guard against hanging: a busy machine, an interpreter to
// warm.
const patience = time.Minute

// What terminals say they are.
const (
	plainTerminal = "\x1b[?62;22c"
	sixelTerminal = "\x1b[?62;4;22c"
)

// sitDown starts the program in a terminal of 80 columns.
func sitDown(t *testing.T, name, state, terminal string, args ...string) *person {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, terminal: terminal, done: make(chan struct{}), command: &exec.Cmd{
		Path: exe, Args: append([]string{name}, args...), Dir: t.TempDir(),
		Env: append(os.Environ(), "CELLWALL_STATE_DIR="+state, "TERM=xterm-256color", "NO_COLOR="),
	}}
	p.tty, err = pty.StartWithSize(p.command, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	go p.listen()
	t.Cleanup(func() {
		p.tty.Close()
		_ = p.command.Process.Kill() // it has ended, unless the test failed
		<-p.done
	})
	return p
}

func (p *person) listen() {
	defer close(p.done)
	buf := make([]byte, 4096)
	for {
		n, err := p.tty.Read(buf)
		p.mu.Lock()
		p.seen.Write(buf[:n])
		p.mu.Unlock()
		if bytes.Contains(buf[:n], []byte("\x1b[c")) {
			p.types(p.terminal)
		}
		if err != nil {
			return
		}
	}
}

func (p *person) types(keys string) {
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Errorf("type %q: %v", keys, err)
	}
}

// sees waits until the terminal shows what a pattern matches, behind what was
// seen before, and returns it.
func (p *person) sees(pattern string) string {
	p.t.Helper()
	wanted := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		text := p.seen.String()[p.read:]
		at := wanted.FindStringIndex(text)
		if at != nil {
			p.read += at[1]
		}
		p.mu.Unlock()
		if at != nil {
			return text[at[0]:at[1]]
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Fatalf("nobody saw %q in\n%q", pattern, p.seen.String()[p.read:])
	return ""
}

// cell types keys when the prompt of this number stands there.
func (p *person) cell(number, keys string) {
	p.t.Helper()
	p.sees(`In \[` + number + `\]: `)
	p.types(keys)
}

// reads waits for a line of output.
func (p *person) reads(line string) {
	p.t.Helper()
	p.sees(`(?:\n|\x1b\[\?2004l)` + regexp.QuoteMeta(line) + `\r\n`)
}

// leaves waits for the program's end.
func (p *person) leaves(want int) {
	p.t.Helper()
	over := make(chan error, 1)
	go func() { over <- p.command.Wait() }()
	select {
	case <-over:
	case <-time.After(patience):
		p.t.Fatal("it did not end")
	}
	if got := p.command.ProcessState.ExitCode(); got != want {
		p.t.Errorf("exit status %d, want %d", got, want)
	}
}

func TestM40_ShellIsUsedAtATerminal(t *testing.T) {
	state := t.TempDir()
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	p := sitDown(t, "cellwall-fake", state, plainTerminal, "shell")
	cell := p.cell
	cell("1", "set xylophone 41\r")
	cell("2", "get xylofone\x1b[D\x1b[D\x1b[D\x7fph\r") // an edit in the middle
	p.reads("41")
	cell("3", "get xyl\t\r") // completed from the session
	p.reads("41")
	cell("4", "out before\\n\x1b\rwait\x1b[A\x1b[B\r") // two lines, Ctrl-C while it runs
	p.reads("before")
	p.types("\x03")
	p.sees(`KeyboardInterrupt`)
	cell("5", "set xylophone 1\x03set xylophone 2\r") // Ctrl-C lets go of what was written
	cell("6", "die\r")
	p.sees(`crashed`)
	p.sees(`restored: `)
	cell("7", "get xylophone\r")
	p.reads("2")
	cell("8", ":und\t\r") // behind cell 7, which changed nothing
	p.sees(`undone: `)
	cell("8", ":undo\r") // behind cell 5
	p.sees(`undone: `)
	cell("8", "get xylophone\r")
	p.reads("41")
	cell("9", ":branch 想法\r")
	p.sees(`begins here`)
	p.sees(`想法 `)
	cell("9", "set xylophone 3\r")
	cell("10", ":branch main\r")
	p.sees(`is back`)
	cell("10", "get xylophone\r")
	p.reads("41")
	cell("11", "\x1b[A\x1b[A\x1b[A\x1b[A\r") // the history goes back to :branch 想法
	p.sees(`想法 is back`)
	cell("11", ":save s.ipynb\r")
	p.sees(`saved: `)
	cell("11", "x\x15\x04") // a line that was cut, and Ctrl-D
	p.leaves(exitOK)

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hostile := range []string{"evil\x1b[31m", "str\x1b[2J"} {
		if strings.Contains(p.seen.String(), hostile) {
			t.Errorf("the terminal got %q", hostile)
		}
	}
	if doc, err := readNotebook(filepath.Join(p.command.Dir, "s.ipynb")); err != nil || len(doc.Cells) != 6 {
		t.Errorf("what was saved: %+v, %v", doc, err)
	}
	if history, err := os.ReadFile(filepath.Join(state, "shell_history")); err != nil || !strings.Contains(string(history), `"get xylophone"`) {
		t.Errorf("the history: %q, %v", history, err)
	}
}

// The same over a real sandbox: what died, was interrupted or undone, and a
// figure that is drawn by another sandbox.
func TestM40_ShellKeepsARealSessionAlive(t *testing.T) {
	state := t.TempDir()
	linkEnvironments(t, state)
	cases, err := filepath.Abs("../../testdata/cases/orders_zh.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := sitDown(t, "cellwall", state, sixelTerminal, "shell", "--memory", "256MiB", "--data", cases)
	cell := p.cell
	cell("1", "total = df['销售额'].sum()\r")
	cell("2", "for part in (1, 2):\rprint(part, round(total))\r\r") // the next line is indented
	p.reads("1 10169050")
	p.sees(`2 10169050\r\n`)
	cell("3", "tota\t\r") // completed from the live session
	p.sees(`Out\[3\]: `)
	cell("4", "import time; open('half.txt', 'w').write('x'); print('asleep', flush=True); time.sleep(999)\r")
	p.sees(`asleep\r\n`) // before that Ctrl-C would find no cell
	p.types("\x03")
	p.sees(`KeyboardInterrupt`)
	cell("5", "import os; os.remove('half.txt'); os._exit(7)\r")
	p.sees(`crashed.* \(exit:7\)`)
	p.sees(`restored: `)
	cell("6", ":files\r")
	p.sees(`half\.txt`) // its removal went back too
	cell("6", "hoard = [bytearray(1 << 20) for _ in range(999)]\r")
	p.sees(`memory_limit.* \(oom_kill\)`)
	cell("7", "round(total)\r")
	p.sees(`10169050\r\n`)
	cell("8", ":branch idea\r")
	cell("8", "total = 0\r")
	cell("9", ":branch main\r")
	cell("9", "round(total)\r")
	p.sees(`10169050\r\n`)
	cell("10", "total = 1\r")
	cell("11", ":undo\r")
	p.sees(`undone: `)
	cell("11", "round(total)\r")
	p.sees(`10169050\r\n`)
	cell("12", "df.groupby('区域')['销售额'].sum().plot.bar();\r")
	p.sees(`\x1bPq"1;1;\d+;\d+#0;2;`)
	cell("13", ":vars\r")
	p.sees(`df +DataFrame +1,000 × 6`)
	p.forks()
	p.types("\x04")
	p.leaves(exitOK)
}

// forks has a session beside the one that has come to cell 13: both live, and each
// has what it made itself.
func (p *person) forks() {
	p.t.Helper()
	p.cell("13", ":fork other\r")
	p.sees(`fork: .*in a sandbox of its own`)
	p.sees(`other In \[13\]: `)
	p.types("total = len(df)\r")
	p.sees(`other In \[14\]: `)
	p.types(":fork origin\r")
	p.sees(`this is origin`)
	p.cell("13", "round(total)\r")
	p.sees(`10169050\r\n`)
	p.cell("14", ":fork other\r")
	p.sees(`other In \[14\]: `)
	p.types("total\r")
	p.sees(`1000\r\n`)
	p.sees(`other In \[15\]: `)
}
