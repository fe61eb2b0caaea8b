package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/ns"
)

// controlFD is the warden's end of the controller's socket pair; the mounts of
// root and driver follow it where root hands them over.
const controlFD = 3

// warden is process 1 of an environment's namespaces.
type warden struct {
	control *wire
	start   startRequest
	mounts  []*os.File  // root and driver, when they came as descriptors
	columns []*os.File  // the file of a template
	inputs  []heldInput // likewise, see holdInputs

	builders *builders
	forking  sync.Mutex // one request to the zygote at a time
	zygote   *wire
	settled  *os.File // ends when the zygote forks at its best

	mu       sync.Mutex      // guards the rest
	children map[int]uint64  // whose end is that of a sandbox: see follow for sessions
	asked    bool            // a fork is asked for and not answered yet
	early    map[int]ns.Exit // ended meanwhile: one of them may be the answer
	walls    map[uint64]*wall
	agents   map[int]*os.File // the network of each sandbox whose process 1 lives
	networks []*os.File       // that nobody is in
	zygoteID int
}

// Warden is the main function of the hidden verb that New's Options.Self runs.
// It returns the exit code when the controller is gone.
func Warden() int {
	if err := fdpass.KeepFromChildren(controlFD); err != nil {
		fmt.Fprintln(os.Stderr, "cellwall: warden:", err)
		return 4
	}
	conn, err := fdpass.Conn(os.NewFile(controlFD, "control"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cellwall: warden:", err)
		return 4
	}
	w := &warden{
		control: newWire(conn), children: map[int]uint64{}, early: map[int]ns.Exit{}, walls: map[uint64]*wall{},
		agents: map[int]*os.File{},
	}
	ready, err := w.boot()
	if err != nil {
		_ = w.control.send(msgStart, startReply{Error: err.Error()})
		return 4
	}
	if err := w.control.send(msgStart, ready); err != nil {
		return 4
	}
	go w.awaitSettled()
	go w.reap()
	if err := w.serve(); !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "cellwall: warden:", err)
		return 4
	}
	return 0
}

func (w *warden) boot() (ready startReply, err error) {
	m, err := w.control.receive()
	if err != nil {
		return ready, fmt.Errorf("receive start: %w", err)
	}
	if err := m.decode(&w.start); err != nil {
		return ready, err
	}
	if w.start.Root == "" {
		w.mounts = []*os.File{os.NewFile(controlFD+1, "root"), os.NewFile(controlFD+2, "driver")}
	}
	if err := settleStack(); err != nil {
		return ready, err
	}
	if err := w.buildRoot(); err != nil {
		return ready, err
	}
	if w.start.Template && len(m.files) > 0 {
		w.columns = m.files[:1]
		if err := w.holdInputs(w.start.Inputs, m.files[1:]); err != nil {
			return ready, err
		}
	}
	if w.builders, err = startBuilders(runtime.NumCPU()); err != nil {
		return ready, err
	}
	return w.startZygote()
}

// serve answers the controller until it goes away, and returns how it went:
// io.EOF is the ordinary end. Walls are built side by
// side, so that a burst uses every processor.
func (w *warden) serve() error {
	slots := make(chan struct{}, 2*runtime.NumCPU())
	for {
		m, err := w.control.receive()
		if err != nil {
			return err
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			defer m.close()
			w.answer(m)
		}()
	}
}

func (w *warden) answer(m message) {
	switch m.kind {
	case msgOpen:
		var request openRequest
		if err := m.decode(&request); err != nil {
			return // the controller is of our own version: it cannot happen
		}
		parts, err := w.open(request, m.files)
		reply := openReply{ID: request.ID, Error: text(err), Gone: errors.Is(err, errZygoteGone)}
		_ = w.control.send(msgOpen, reply, parts...)
		closeAll(parts)
	case msgLimit:
		if err := w.relay(m); err != nil {
			_ = w.control.send(msgLimit, limitReply{Error: err.Error()})
		}
	case msgInput:
		var request inputRequest
		if err := m.decode(&request); err != nil {
			return
		}
		err := w.copyInput(request, m.files)
		_ = w.control.send(msgInput, inputReply{ID: request.ID, Error: text(err)})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// reap hears of every death: of interpreters, whose status the controller
// wants, of agents, and of whatever a sandbox left to this process.
func (w *warden) reap() {
	for {
		exit, err := ns.Reap()
		if err != nil {
			return // no children, so no zygote: its death has been told
		}
		id, known := w.ended(exit)
		if known {
			w.tell(id, exit)
		}
		agent := w.giveBack(exit.PID)
		switch {
		case exit.PID == w.zygoteID:
			_ = w.control.send(msgZygote, exitEvent{Code: exit.Code, Signal: int(exit.Signal)})
		case !known && !agent:
			w.tellEnded(exit)
		}
	}
}

// ended names the sandbox whose interpreter has ended, if it was one. A death
// that nobody knows is kept only while a fork is under way: numbers come again,
// and the death of an agent must never be taken for that of a later interpreter.
func (w *warden) ended(exit ns.Exit) (id uint64, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, known = w.children[exit.PID]
	delete(w.children, exit.PID)
	if !known && w.asked {
		w.early[exit.PID] = exit
	}
	return id, known
}

// expect says that a fork is asked for, or that it was answered.
func (w *warden) expect(asked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = asked
	clear(w.early)
}

// adopt connects a freshly forked interpreter with its sandbox.
func (w *warden) adopt(pid int, id uint64) {
	w.mu.Lock()
	exit, ended := w.early[pid]
	if !ended {
		w.children[pid] = id
	}
	w.mu.Unlock()
	if ended {
		w.tell(id, exit)
	}
}

func (w *warden) tell(id uint64, exit ns.Exit) {
	w.mu.Lock()
	wall := w.walls[id]
	delete(w.walls, id)
	w.mu.Unlock()
	_ = w.control.send(msgExit, exitEvent{ID: id, Code: exit.Code, Signal: int(exit.Signal)})
	if wall != nil {
		go wall.close() // takes milliseconds that no other death should wait for
	}
}

// relay passes a benchmark's request to the zygote and its answer back.
func (w *warden) relay(m message) error {
	w.forking.Lock()
	defer w.forking.Unlock()
	if err := w.zygote.send(m.kind, json.RawMessage(m.body)); err != nil {
		return err
	}
	answer, err := w.zygote.receive()
	if err != nil {
		return err
	}
	return w.control.send(msgLimit, json.RawMessage(answer.body))
}
