// Package signame names signals as people know them: "SIGSEGV".
package signame

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Of returns the name of a signal number, and "signal N" for one without.
func Of(number int) string {
	if name := unix.SignalName(syscall.Signal(number)); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", number)
}
