package backendtest

// bySignals: every way to send one.
func bySignals() []reach {
	return []reach{
		{name: "Kill", aim: "os.kill(n, 9)", want: "ESRCH", gate: true},
		{name: "Stop", aim: "os.kill(n, signal.SIGSTOP)", want: "ESRCH", gate: true},
		{name: "AskWhetherItIsThere", aim: "os.kill(n, 0)", want: "ESRCH", gate: true},
		{name: "KillItsGroup", aim: "os.killpg(n, 9)", want: "ESRCH", gate: true},
		{name: "KillItsThread", aim: "call('tgkill', n, n, 9)", want: "ESRCH", gate: true},
		{name: "QueueASignal", aim: "call('sigqueue', n, 9, 0)", want: "ESRCH", gate: true},
		{
			name: "QueueASignalToItsThread", want: "ESRCH", gate: true,
			aim: "info = struct.pack('iiii', 9, 0, -1, 0) + bytes(112)\ncall(number(297, 240), n, n, 9, info)",
		},
		{name: "KillEverybody", aim: "os.kill(-1, 9)", want: "EPERM", also: "EPERM", gate: true},
		{name: "KillByADescriptor", aim: "signal.pidfd_send_signal(os.pidfd_open(n), 9)", want: "EPERM", also: "EPERM", filter: true},
		{
			name: "SignalsOfADescriptor", want: "EPERM", also: "EPERM", filter: true, // SIGIO
			aim: "r, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, n)",
		},
		{
			name: "SignalsOfADescriptorByIoctl", want: "ENOTTY", also: "ENOTTY", filter: true,
			aim: "import socket\na, b = socket.socketpair()\nfcntl.ioctl(a, 0x8901, struct.pack('i', n))",
		},
		{
			name: "SignalsOfATimer", want: "EINVAL", also: "EINVAL",
			aim: "call('timer_create', 0, struct.pack('qiii', 0, 9, 4, n) + bytes(44), bytes(8))",
		},
		{name: "HangUpItsTerminal", aim: "os.openpty()", want: "ENOENT", also: "ENOENT"}, // there is none to be had
	}
}

// byStanding: what makes a process slow, poor or somebody else's.
func byStanding() []reach {
	return []reach{
		{name: "Limits", aim: "resource.prlimit(n, resource.RLIMIT_NOFILE, (9, 9))", want: "ESRCH", gate: true},
		{name: "ReadLimits", aim: "resource.prlimit(n, resource.RLIMIT_NOFILE)", want: "ESRCH", gate: true},
		{name: "Processors", aim: "os.sched_setaffinity(n, {0})", want: "ESRCH", gate: true},
		{name: "Priority", aim: "os.setpriority(os.PRIO_PROCESS, n, 19)", want: "ESRCH", gate: true},
		{name: "PriorityOfItsGroup", aim: "os.setpriority(os.PRIO_PGRP, n, 19)", want: "ESRCH", gate: true},
		{name: "PriorityOfItsUser", aim: "os.setpriority(os.PRIO_USER, 0, 19)", want: "EPERM", also: "EPERM", gate: true},
		{name: "Scheduler", aim: "os.sched_setscheduler(n, os.SCHED_IDLE, os.sched_param(0))", want: "EPERM", also: "EPERM", filter: true},
		{name: "InputPriority", aim: "call(number(251, 30), 1, n, 3 << 13)", want: "EPERM", also: "EPERM", filter: true},
		{name: "JoinItsGroup", aim: "os.setpgid(0, n)", want: "EPERM", also: "EPERM"}, // the child's session is its own
		{name: "ForkASister", aim: "call(number(56, 220), 0x8000 | signal.SIGCHLD, 0, 0, 0, 0) or os._exit(0)", want: "EPERM", also: "EPERM"},
	}
}

// byMemory: its memory and its names in /proc. A child's can be had.
func byMemory() []reach {
	return []reach{
		{name: "Trace", aim: "call('ptrace', 16, n, 0, 0)", want: "EPERM", also: "EPERM", filter: true},
		{name: "WriteItsMemory", aim: "call('process_vm_writev', n, 0, 0, 0, 0, 0)", want: "EPERM", also: "EPERM"},
		{name: "ReadItsMemory", aim: "call('process_vm_readv', n, 0, 0, 0, 0, 0)", want: "EPERM", also: "EPERM"},
		{name: "OpenItsMemory", aim: "open(f'/proc/{n}/mem', 'r+b').close()", want: "ENOENT"},
		{name: "SeeItsMaps", aim: "open(f'/proc/{n}/maps').read()", want: "ENOENT"},
		{name: "SeeItsRoot", aim: "os.listdir(f'/proc/{n}/root/')", want: "ENOENT"},
		{name: "SeeItsEnvironment", aim: "open(f'/proc/{n}/environ').read()", want: "ENOENT"},
		{name: "ChooseItForOOM", aim: "open(f'/proc/{n}/oom_score_adj', 'w').write('1000')", want: "ENOENT"},
		{name: "MovePages", aim: "call(number(279, 239), n, 0, 0, 0, 0, 0)", want: "EPERM", also: "EPERM", filter: true},
		{name: "AdviseItsMemory", aim: "call(440, os.pidfd_open(n), 0, 0, 21, 0)", want: "EPERM", also: "EPERM"},
	}
}

// byDescriptors: what it has open.
func byDescriptors() []reach {
	return []reach{
		{name: "TakeItsDescriptors", aim: "call(438, os.pidfd_open(n), 3, 0)", want: "EPERM", also: "EPERM", filter: true},
		{name: "SeeItsDescriptors", aim: "os.listdir(f'/proc/{n}/fd')", want: "ENOENT"},
		{name: "CompareItsDescriptors", aim: "call(number(312, 272), os.getpid(), n, 0, 3, 3)", want: "EPERM", also: "EPERM", filter: true},
	}
}
