package cleanup

import "errors"

// Stack holds what has to be undone. The zero value is empty and ready. It is
// not safe for concurrent use: one setup is one goroutine's work.
type Stack struct {
	undo []func() error
}

// Add pushes a step's undo. Adding right after the step succeeded leaves no
// gap in which it could be forgotten.
func (s *Stack) Add(undo func() error) { s.undo = append(s.undo, undo) }

// Run undoes every step, the last one first, and goes on after an error. It
// returns all errors joined. A second Run does nothing.
func (s *Stack) Run() error {
	var errs []error
	for len(s.undo) > 0 {
		last := len(s.undo) - 1
		undo := s.undo[last]
		s.undo = s.undo[:last] // popped first, so that a panicking step is not run twice
		if err := undo(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Release forgets every step and returns a Stack that holds them: the setup
// succeeded, and whoever owns the result undoes it later.
func (s *Stack) Release() *Stack {
	moved := &Stack{undo: s.undo}
	s.undo = nil
	return moved
}
