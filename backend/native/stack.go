package native

import (
	"fmt"
	"syscall"
)

// stackBytes is the stack of an interpreter's first thread, which compiles what
// is sent. CPython bounds its parser and compiler by depth, not by the stack
// that is left: below 1 MiB a long line of minus signs kills it.
const stackBytes = 8 << 20

// settleStack gives what this process is about to start a stack of stackBytes,
// whatever the shell that started the controller allowed.
func settleStack() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &limit); err != nil {
		return fmt.Errorf("read limit of the stack: %w", err)
	}
	if limit.Max < stackBytes {
		return fmt.Errorf("set limit of the stack: at most %d bytes are allowed here and the interpreter needs %d; allow more with ulimit -Hs %d",
			limit.Max, int64(stackBytes), stackBytes>>10)
	}
	limit.Cur = stackBytes
	if err := syscall.Setrlimit(syscall.RLIMIT_STACK, &limit); err != nil {
		return fmt.Errorf("set limit of the stack: %w", err)
	}
	return nil
}
