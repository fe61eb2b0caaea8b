package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage is how long a message from a client may be, in bytes: a call with the
// longest program, in escapes, is a quarter of it.
const mostMessage = 1 << 20

// Lines is a transport of one message a line: standard input and output. What is no
// message is answered with an error, and the next line is read.
type Lines struct {
	In   io.Reader
	Out  io.Writer
	Most int // bytes of a line; 0 = a MiB

	mu  sync.Mutex
	end error // of the input, unless it came to its end
}

// failed says why the input ended, unless the client closed it.
func (l *Lines) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end
}

// Connect implements the SDK's Transport.
func (l *Lines) Connect(context.Context) (sdk.Connection, error) {
	c := &lines{of: l, out: l.Out, most: l.Most, messages: make(chan jsonrpc.Message), closed: make(chan struct{}), pending: newPending()}
	if c.most <= 0 {
		c.most = mostMessage
	}
	go c.take(bufio.NewReaderSize(l.In, 64<<10))
	return c, nil
}

// lines is a connection of it.
type lines struct {
	of       *Lines
	out      io.Writer
	most     int
	messages chan jsonrpc.Message // closed at the end of the input
	writing  sync.Mutex
	pending  *pending
	once     sync.Once
	closed   chan struct{}
}

// take reads to the end of the input. It hands over nothing ahead of need.
func (c *lines) take(in *bufio.Reader) {
	defer close(c.messages)
	for {
		line, long, err := c.line(in)
		switch line = bytes.TrimSpace(line); {
		case long:
			c.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message has more than %d bytes", c.most))
		case len(line) > 0:
			if message := c.message(line); message != nil && !c.hand(message) {
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.of.mu.Lock()
				c.of.end = fmt.Errorf("read messages: %w", err)
				c.of.mu.Unlock()
			}
			c.linger()
			return
		}
	}
}

// hand gives a message to the session; false when that is over.
func (c *lines) hand(message jsonrpc.Message) bool {
	if r, ok := message.(*jsonrpc.Request); ok {
		c.pending.heard(r)
	}
	select {
	case c.messages <- message:
		return true
	case <-c.closed:
		return false
	}
}

// patience is for how long answers are given when the input has ended. A client that
// has gone needs none, and what runs for it is ended; a script that sent all it had
// reads on.
const patience = 500 * time.Millisecond

func (c *lines) linger() {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	for !c.pending.idle() {
		select {
		case <-c.pending.none:
		case <-wait.C:
			return
		case <-c.closed:
			return
		}
	}
}

// line reads one, and no more of a long one than it may be; the rest is skipped.
func (c *lines) line(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > c.most; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// message decodes a line; nil when it is none, which was answered then. The library
// that decodes behind us has no bound of depth, this look at it has.
func (c *lines) message(line []byte) jsonrpc.Message {
	switch {
	case !json.Valid(line):
		c.refuse(nil, jsonrpc.CodeParseError, "the line is no JSON")
	case line[0] == '[':
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not taken: send one message a line")
	default:
		message, err := jsonrpc.DecodeMessage(line)
		if err == nil {
			return message
		}
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &named) // without an id it is answered all the same
		c.refuse(named.ID, jsonrpc.CodeInvalidRequest, "the line is no request, notification or answer of JSON-RPC 2.0")
	}
	return nil
}

// refuse answers what is no message.
func (c *lines) refuse(id json.RawMessage, code int64, why string) {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || len(id) > 256 {
		id = json.RawMessage("null")
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_ = c.send(raw) // who cannot be told will not hear the next answer either
	}
}

func (c *lines) send(raw []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(raw, '\n'))
	return err
}

// Read implements the SDK's Connection.
func (c *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, ok := <-c.messages:
		if !ok {
			return nil, io.EOF
		}
		return message, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements the SDK's Connection. Who has cancelled a request gets no answer to
// it, as the specification wants it; the SDK writes one.
func (c *lines) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	answer, ok := message.(*jsonrpc.Response)
	if ok {
		defer c.pending.answered(answer.ID)
		if !c.pending.wanted(answer.ID) {
			return nil
		}
	}
	raw, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return c.send(raw)
}

// Close implements the SDK's Connection. Who reads the input closes that.
func (c *lines) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements the SDK's Connection: there is only one.
func (c *lines) SessionID() string { return "" }
