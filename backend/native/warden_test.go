package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/ns"
)

// idleWarden is a warden with a controller that listens and nobody to look after.
func idleWarden(t *testing.T) (w *warden, controller *wire) {
	t.Helper()
	conn, theirs, err := fdpass.Pair()
	if err != nil {
		t.Fatal(err)
	}
	other, err := fdpass.Conn(theirs)
	if err != nil {
		t.Fatal(err)
	}
	controller = newWire(other)
	w = &warden{control: newWire(conn), children: map[int]uint64{}, early: map[int]ns.Exit{}, walls: map[uint64]*wall{}, agents: map[int]*os.File{}}
	t.Cleanup(func() { w.control.close(); controller.close() })
	return w, controller
}

// A program can make children of the warden die by the thousand, and every
// agent does: their numbers come again.
func TestWarden_ADeathBeforeTheForkIsNotThatOfTheInterpreter(t *testing.T) {
	w, _ := idleWarden(t)
	w.ended(ns.Exit{PID: 7})
	w.expect(true)
	w.adopt(7, 1)
	w.expect(false)
	if id, alive := w.children[7]; !alive || id != 1 {
		t.Error("a new interpreter was taken for dead, because an earlier process had its number")
	}
	if len(w.early) != 0 {
		t.Errorf("%d deaths are remembered while no fork is under way", len(w.early))
	}
}

func TestWarden_AnInterpreterThatEndsBeforeTheAnswerIsTold(t *testing.T) {
	w, controller := idleWarden(t)
	w.expect(true)
	w.ended(ns.Exit{PID: 7, Code: 3})
	w.adopt(7, 1)
	w.expect(false)
	m, err := controller.receive()
	if err != nil {
		t.Fatal(err)
	}
	var event exitEvent
	if err := m.decode(&event); err != nil || m.kind != msgExit || event != (exitEvent{ID: 1, Code: 3}) {
		t.Errorf("heard %q %+v, %v", m.kind, event, err)
	}
}

// A file of /proc has contents and the size 0, like one that grows after the
// copy began.
func TestWarden_CopiesNoMoreThanAFileHadAtFirst(t *testing.T) {
	w, _ := idleWarden(t)
	place := t.TempDir()
	input, err := os.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	growing, err := os.Open("/proc/version")
	if err != nil {
		t.Fatal(err)
	}
	defer growing.Close()
	w.walls[1] = &wall{input: input}
	if err := w.copyInput(inputRequest{ID: 1, Name: "data"}, []*os.File{growing}); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(filepath.Join(place, "data"))
	if err != nil || len(copied) != 0 {
		t.Errorf("copied %d bytes, %v; the file had none when the copy began", len(copied), err)
	}
}

// An agent that ends right after it was started may be reaped before anybody
// has noted whose network it had; its number comes again.
func TestWarden_TheNetworkOfAnAgentThatEndedAtOnceIsSpare(t *testing.T) {
	for name, early := range map[string]bool{"reaped before it is noted": true, "reaped afterwards": false} {
		w, _ := idleWarden(t)
		fd := -1
		agent := exec.Command("sleep", "60")
		agent.SysProcAttr = &syscall.SysProcAttr{PidFD: &fd}
		if err := agent.Start(); err != nil {
			t.Fatal(err)
		}
		pid := agent.Process.Pid
		held := os.NewFile(uintptr(fd), "agent")
		defer held.Close()
		network, err := os.Open("/proc/self/ns/net")
		if err != nil {
			t.Fatal(err)
		}
		defer network.Close()
		end := func() {
			_ = agent.Process.Kill()
			_ = agent.Wait()
			w.giveBack(pid)
		}
		if early {
			end()
		}
		w.lend(pid, held, network)
		if !early {
			if len(w.networks) != 0 || w.agents[pid] != network {
				t.Errorf("%s: the network of a living agent is spare", name)
			}
			end()
		}
		if len(w.agents) != 0 || len(w.networks) != 1 {
			t.Errorf("%s: %d networks are lent, %d spare", name, len(w.agents), len(w.networks))
		}
	}
}
