package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// exit is how an interpreter ended, as its parent, the warden, heard it from
// the kernel. event is valid once told is closed.
type exit struct {
	told  chan struct{}
	event exitEvent
}

// opened is what the controller holds of a sandbox.
type opened struct {
	id                     uint64
	agent, output, scratch *os.File
	hidden                 *os.File // of a session
	exit                   *exit
}

// open asks the warden for a sandbox. files are the interpreter's channel,
// stdout, stderr and control groups.
func (s *stem) open(request openRequest, files []*os.File) (opened, error) {
	id, exit, err := s.reserve()
	if err != nil {
		return opened{}, err
	}
	request.ID = id
	m, err := s.call(msgOpen, id, request, files...)
	if err != nil {
		s.forget(id)
		return opened{}, err
	}
	var reply openReply
	err = m.decode(&reply)
	parts := 3
	if request.Session {
		parts++
	}
	switch {
	case err != nil:
	case reply.Gone:
		s.retire() // the message of its end may come later
		err = errors.Join(errStemGone, errors.New(reply.Error))
	case reply.Error != "":
		err = errors.New(reply.Error)
	case len(m.files) != parts:
		err = fmt.Errorf("the warden sent %d descriptors, not %d", len(m.files), parts)
		s.giveUp() // it holds a sandbox that nobody could end
	}
	if err != nil {
		s.forget(id)
		m.close()
		return opened{}, err
	}
	o := opened{id: id, agent: m.files[0], output: m.files[1], scratch: m.files[2], exit: exit}
	if request.Session {
		o.hidden = m.files[3]
	}
	return o, nil
}

// input asks the warden to copy file into a sandbox's input directory.
func (s *stem) input(id uint64, name string, size int64, file *os.File) error {
	m, err := s.call(msgInput, id, inputRequest{ID: id, Name: name, Size: size}, file)
	if err != nil {
		return err
	}
	defer m.close()
	var reply inputReply
	if err := m.decode(&reply); err != nil {
		return err
	}
	if reply.Error != "" {
		return errors.New(reply.Error)
	}
	return nil
}

// reserve takes an id and the place where its exit will be told.
func (s *stem) reserve() (uint64, *exit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return 0, nil, errStemGone
	}
	s.nextID++
	s.opened++
	e := &exit{told: make(chan struct{})}
	s.exits[s.nextID] = e
	return s.nextID, e, nil
}

func (s *stem) forget(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.exits, id)
	delete(s.waiting, id)
}

// answerTimeout is how long a warden may take. One that takes longer is broken
// and ended, with all that it holds.
const answerTimeout = 30 * time.Second

// benchTimeout is the same for a benchmark's measurement.
const benchTimeout = 10 * time.Minute

// call sends one request and waits for its answer, which comes in milliseconds
// or with the warden's end: a caller that went away finds what it asked for
// and closes it. One sandbox has at most one request under way.
func (s *stem) call(kind byte, id uint64, request any, files ...*os.File) (message, error) {
	answer := make(chan message, 1)
	s.mu.Lock()
	s.waiting[id] = answer
	s.mu.Unlock()
	if err := s.wire.send(kind, request, files...); err != nil {
		s.retire() // whoever asks next must not choose it before listen has noticed
		return message{}, errors.Join(errStemGone, err)
	}
	patience := answerTimeout
	if kind == msgLimit {
		patience = benchTimeout
	}
	broken := time.AfterFunc(patience, s.giveUp)
	defer broken.Stop()
	return s.answered(answer)
}

// answered waits for an answer or the warden's end. Both may have come: the
// descriptors of an answer that nobody uses are closed. None comes after the end.
func (s *stem) answered(answer <-chan message) (message, error) {
	select {
	case m := <-answer:
		return m, nil
	case <-s.gone:
	}
	select {
	case m := <-answer:
		m.close()
	default:
	}
	return message{}, errStemGone
}

// listen hands the warden's messages to those who wait, until it is gone. One
// that is not understood any more, because a message could not be taken whole,
// is ended: nobody would hear of its sandboxes again.
func (s *stem) listen() {
	defer close(s.gone)
	defer s.buryAll()
	defer s.giveUp()
	for {
		m, err := s.wire.receive()
		if err != nil {
			return
		}
		switch m.kind {
		case msgOpen, msgInput, msgLimit:
			var head struct {
				ID uint64 `json:"id"`
			}
			if m.decode(&head) != nil {
				m.close()
				continue
			}
			s.deliver(head.ID, m)
		case msgExit:
			var event exitEvent
			if m.decode(&event) == nil {
				s.tellExit(event)
			}
		case msgEnded:
			var event endedEvent
			if m.decode(&event) == nil {
				s.tellEnded(event)
			}
		case msgSettled:
			close(s.settled)
		case msgZygote:
			s.retire()
		}
	}
}

func (s *stem) deliver(id uint64, m message) {
	s.mu.Lock()
	answer := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if answer == nil {
		m.close()
		return
	}
	answer <- m
}

func (s *stem) tellExit(event exitEvent) { tell(s, s.exits, event.ID, event) }

// tell says an end to who waits for it, and forgets him.
func tell[K comparable](s *stem, waiting map[K]*exit, key K, event exitEvent) {
	s.mu.Lock()
	e := waiting[key]
	delete(waiting, key)
	s.mu.Unlock()
	if e != nil {
		e.event = event
		close(e.told)
	}
}

// awaitSettled returns when the zygote forks at its best: a quarter of a second
// after its first fork was possible, later when it was asked for more.
func (s *stem) awaitSettled(ctx context.Context) error {
	select {
	case <-s.settled:
		return nil
	case <-s.gone:
		return errStemGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retire stops new sandboxes; those that live go on.
func (s *stem) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
}

// giveUp ends a warden that does not do its part.
func (s *stem) giveUp() {
	s.retire()
	_ = s.warden.Kill()
}

// usable reports whether the stem opens sandboxes, and whether it is time for
// a younger one.
func (s *stem) usable() (usable, old bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.retired, s.opened >= s.lifetime
}

// buryAll forgets the sandboxes of a warden that is gone.
func (s *stem) buryAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.exits)
}

// idle reports whether no sandbox of this stem lives.
func (s *stem) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.exits) == 0
}
