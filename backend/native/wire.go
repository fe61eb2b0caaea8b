package native

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"github.com/cellwall/cellwall/guest"
	"github.com/cellwall/cellwall/linux/fdpass"
)

// wire carries frames and descriptors between controller, warden and zygote,
// all of them trusted. Sends may come from many goroutines; receives from one.
type wire struct {
	conn   *net.UnixConn
	reader *fdpass.Reader
	mu     sync.Mutex // guards sending
}

func newWire(conn *net.UnixConn) *wire {
	return &wire{conn: conn, reader: fdpass.NewReader(conn)}
}

// message is one received frame. Its descriptors are the receiver's.
type message struct {
	kind  byte
	body  []byte
	files []*os.File
}

func (m message) decode(v any) error {
	if err := json.Unmarshal(m.body, v); err != nil {
		return fmt.Errorf("decode message %q: %w", m.kind, err)
	}
	return nil
}

func (m message) close() { closeAll(m.files) }

func (w *wire) send(kind byte, v any, files ...*os.File) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode message %q: %w", kind, err)
	}
	if len(body) > guest.MaxFrame {
		return fmt.Errorf("send message %q: %d bytes are more than %d", kind, len(body), guest.MaxFrame)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 5+len(body)), uint32(len(body)))
	frame = append(append(frame, kind), body...)
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return fdpass.Send(w.conn, frame, fds...)
}

func (w *wire) receive() (message, error) {
	var head [5]byte
	if _, err := io.ReadFull(w.reader, head[:]); err != nil {
		return message{}, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size > guest.MaxFrame {
		return message{}, fmt.Errorf("receive message: %d bytes are more than %d", size, guest.MaxFrame)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(w.reader, body); err != nil {
		return message{}, err
	}
	return message{kind: head[4], body: body, files: w.reader.Take()}, nil
}

func (w *wire) close() {
	w.conn.Close()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// The messages between controller and warden.
const (
	msgStart   = 'S' // both ways: startRequest, startReply
	msgOpen    = 'O' // both ways: openRequest, openReply
	msgInput   = 'I' // both ways: inputRequest, inputReply
	msgExit    = 'X' // from the warden: exitEvent
	msgEnded   = 'E' // from the warden: endedEvent, of a session's process
	msgZygote  = 'Z' // from the warden: the zygote is gone
	msgSettled = 'W' // from the warden: the zygote is as fast as it gets
	msgFork    = 'F' // warden to zygote: forkRequest
	msgForked  = 'P' // zygote to warden: forkReply
	msgLimit   = 'L' // through the warden to a benchmark's zygote and back
)

type startRequest struct {
	Root          string   `json:"root"`        // path, "" when the mount comes as a descriptor
	Driver        string   `json:"driver"`      // likewise
	Interpreter   string   `json:"interpreter"` // inside the root
	Modules       []string `json:"modules"`
	Filter        []byte   `json:"filter"`
	SessionFilter []byte   `json:"session_filter"`
	FilterFlags   uint     `json:"filter_flags"`
	Template      bool     `json:"template"`  // a file with it holds the dataset of every sandbox, see load
	Limit         bool     `json:"limit"`     // be the benchmark's twin, see Limit
	ManyUIDs      bool     `json:"many_uids"` // the user namespace holds more than one user

	Inputs []heldInput `json:"inputs"` // of a template; their files follow that of columns
	Memory int64       `json:"memory"` // of a template, see load
}

// startReply is the warden's, and the zygote's to the warden.
type startReply struct {
	Error   string   `json:"error"`
	Unfit   bool     `json:"unfit,omitempty"`   // the fault of a template's columns
	Modules []string `json:"modules,omitempty"` // of a benchmark's twin
	Bytes   int64    `json:"bytes,omitempty"`   // that a template's frames take
}

type openRequest struct {
	ID              uint64 `json:"id"`
	UID             int    `json:"uid"` // in the warden's user namespace
	WorkspaceBytes  int64  `json:"workspace_bytes"`
	WorkspaceInodes int64  `json:"workspace_inodes"`
	TmpBytes        int64  `json:"tmp_bytes"`
	TmpInodes       int64  `json:"tmp_inodes"`
	InputBytes      int64  `json:"input_bytes"`
	Ahead           bool   `json:"ahead"` // nobody waits: copy the pages that a program is going to write
	Into            bool   `json:"into"`  // the one group descriptor is a v2 directory
	Session         bool   `json:"session"`
	CheckpointBytes int64  `json:"checkpoint_bytes"` // of a session, beside its workspace
	Checkpoints     int    `json:"checkpoints"`
}

// openReply carries, as descriptors: the agent's pidfd, the output and scratch
// directories, and of a session the root of what holds its output.
type openReply struct {
	ID    uint64 `json:"id"`
	Error string `json:"error"`
	Gone  bool   `json:"gone,omitempty"` // nothing can be opened here any more
}

type inputRequest struct {
	ID   uint64 `json:"id"`   // of the request
	Name string `json:"name"` // in the input directory
	Size int64  `json:"size"` // bytes to copy
}

type inputReply struct {
	ID    uint64 `json:"id"`
	Error string `json:"error"`
}

// exitEvent ends a sandbox: its interpreter has ended, or process 1 of a session.
type exitEvent struct {
	ID     uint64 `json:"id"` // of the sandbox
	Code   int    `json:"code"`
	Signal int    `json:"signal"`
}

type endedEvent struct {
	PID    int `json:"pid"` // as the warden counts
	Code   int `json:"code"`
	Signal int `json:"signal"`
}

type forkRequest struct {
	UID     int  `json:"uid"`
	Groups  int  `json:"groups"`
	Ahead   bool `json:"ahead"`
	Into    bool `json:"into"`
	OwnUID  bool `json:"own_uid"`
	Session bool `json:"session"` // an interpreter that cells are sent to, not one program
}

type forkReply struct {
	PID   int    `json:"pid"`
	Error string `json:"error"`
}
