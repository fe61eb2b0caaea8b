package native

import (
	"syscall"

	"github.com/cellwall/cellwall/linux/seccomp"
)

// A target is what a judged call is aimed at.
type target struct {
	kind   targetKind
	number int           // of a process, a thread or a group, as the sandbox counts
	errno  syscall.Errno // the answer for nobody
}

type targetKind int

const (
	atNobody targetKind = iota
	atSelf
	atOwnGroup
	atProcess // or a thread
	atGroup   // of processes
)

// targetOf reads the registers of a judged call as the kernel does.
func targetOf(c seccomp.Call) target {
	first, second := int(int32(c.Args[0])), int(int32(c.Args[1]))
	switch c.Name {
	case "kill":
		return signalled(first)
	case "setpriority":
		return ranked(first, second)
	case "prlimit64", "sched_setaffinity":
		if first == 0 {
			return target{kind: atSelf}
		}
	case "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo":
	default:
		return target{errno: syscall.ENOSYS}
	}
	if first <= 0 { // nobody's number
		return target{errno: syscall.ESRCH}
	}
	return target{kind: atProcess, number: first}
}

// signalled reads the first argument of kill.
func signalled(pid int) target {
	switch {
	case pid > 0:
		return target{kind: atProcess, number: pid}
	case pid == 0:
		return target{kind: atOwnGroup}
	case pid == -1: // everybody
		return target{errno: syscall.EPERM}
	}
	return target{kind: atGroup, number: -pid}
}

// The values of setpriority's first argument.
const (
	prioProcess = 0
	prioPgrp    = 1
	prioUser    = 2 // all processes of a user: the snapshots have the same
)

// ranked reads the arguments of setpriority.
func ranked(which, who int) target {
	kind, own := atProcess, atSelf
	switch which {
	case prioPgrp:
		kind, own = atGroup, atOwnGroup
	case prioUser:
		return target{errno: syscall.EPERM}
	case prioProcess:
	default:
		return target{errno: syscall.EINVAL}
	}
	switch {
	case who == 0:
		return target{kind: own}
	case who < 0:
		return target{errno: syscall.ESRCH}
	}
	return target{kind: kind, number: who}
}
