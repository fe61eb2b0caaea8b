package native

import (
	"github.com/cellwall/cellwall/linux/ns"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// A session outlives its interpreters: each of them, and each snapshot, is a
// child of the warden, which tells the controller of every end by number. What
// ends the session, and takes its wall down, is the end of its process 1.

// follow has the end of process 1 be that of the session. One that has ended by
// now may have been reaped already, see lend.
func (w *warden) follow(built *wall, id uint64) {
	w.mu.Lock()
	ended := pidfd.EndedHeld(built.agent)
	if !ended {
		w.children[built.agentID] = id
	}
	w.mu.Unlock()
	if ended {
		w.tell(id, ns.Exit{})
	}
}

// tellEnded tells of a child that is no sandbox by itself. It may be the
// interpreter of one that is still being opened, of which the controller hears
// as well: it listens for those that it knows.
func (w *warden) tellEnded(exit ns.Exit) {
	_ = w.control.send(msgEnded, endedEvent{PID: exit.PID, Code: exit.Code, Signal: int(exit.Signal)})
}
