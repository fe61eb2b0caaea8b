package cgroup

import (
	"errors"
	"fmt"
)

// ErrUnavailable is what an error matches (errors.Is) when a controller that
// was asked for cannot be used on this host by this process.
var ErrUnavailable = errors.New("control group unavailable")

// ErrInUse is what an error matches when memory was to be narrowed below what
// the group uses already.
var ErrInUse = errors.New("more memory in use")

// ControllerError says which controller is missing and why. It matches
// ErrUnavailable.
type ControllerError struct {
	Controller string // memory, pids or cpu
	Reason     string
	Hint       string // what a person can do, may be empty
}

// Error returns "use <controller> group: <reason>".
func (e *ControllerError) Error() string {
	return fmt.Sprintf("use %s group: %s", e.Controller, e.Reason)
}

// Is reports whether target is ErrUnavailable.
func (e *ControllerError) Is(target error) bool { return target == ErrUnavailable }
