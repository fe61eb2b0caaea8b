package native

import (
	"errors"
	"syscall"
)

// refusedByHost says of an error that this host's rules do not allow a wall: a
// container, a sysctl or a security module forbids namespaces. Others it leaves
// as they are. No flag waives what everything else rests on.
func refusedByHost(what string, err error) error {
	for _, answer := range []error{syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EUSERS, syscall.EINVAL, syscall.ENOSYS} {
		if errors.Is(err, answer) {
			return missing(what, err, "see cellwall doctor: it names the protection that is missing and what helps")
		}
	}
	return err
}
