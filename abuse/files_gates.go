package abuse

// gates are attempts on the kernel's own ways out of a root.
func gates() []Case {
	return []Case{
		{
			ID: "F6", Title: "turn the kernel's knobs", Boundary: "/proc of own processes only",
			Attack: Program{File: "F6.py", Expect: Expect{Held: []string{"listed", "hostname", "core_pattern", "sysrq", "timer", "uid_map"}}},
			Control: Control{
				Harness: "harness_proc.py",
				Absent: map[string]string{
					"uid_map": "a map is written once, and that of the outer cell is written",
					"sysrq":   "this kernel is built without it",
				},
			},
			Sibling: looksAtItself(),
		},
		{
			ID: "F7", Title: "replace the devices of the next run", Boundary: "read-only /dev", Runs: 2,
			Attack: Program{File: "F7.py", Expect: Expect{
				Held:   []string{"poisoned", "null", "exchange", "link_inside", "stdout", "terminal", "mode", "times", "directory"},
				Prints: []string{"DEVICES ['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero']"},
			}},
			Control: Control{Harness: "harness_dev.py", Privileged: true},
			Sibling: runsChildren(),
		},
		{
			ID: "F9", Title: "make and open devices", Boundary: "five devices, no nodes",
			Attack: Program{File: "F9.py", Expect: Expect{Held: []string{
				"mem", "kmsg", "fuse", "kvm", "net_tun", "vsock", "uinput", "loop-control", "loop0", "mknod", "by_number", "mknodat",
			}}},
			Control: Control{Privileged: true},
			Sibling: callsNative(),
		},
		{
			ID: "F10", Title: "mount, unmount and turn the root", Boundary: "no capabilities, system calls by allow-list",
			Attack: Program{File: "F10.py", Expect: Expect{Held: []string{
				"tmpfs", "bind", "remount", "proc", "over_proc", "umount", "uncover_input", "pivot", "fsopen", "open_tree", "mount_setattr", "fspick",
			}}},
			Control: Control{Privileged: true},
			Sibling: writes(),
		},
		{
			ID: "F12", Title: "become somebody else through a file", Boundary: "nosuid, no new privileges, own user",
			Attack: Program{File: "F12.py", Expect: Expect{Held: []string{
				"run", "own_copy", "copy_of_root", "copy_of_other", "capabilities", "no_new_privileges", "present",
			}, Prints: []string{"RAN True"}}},
			Control: Control{
				Harness: "harness_setuid.py",
				Absent:  map[string]string{"own_copy": "it gives nothing but the own user: it shows that the copy runs"},
			},
			Sibling: runsChildren(),
		},
		{
			ID: "F13", Title: "break out of a root that was only changed", Boundary: "own root, entered by pivot; no descriptor of the host's",
			Attack: Program{File: "F13.py", Expect: Expect{Held: []string{
				"dirfd", "fchdir", "chroot", "chroot_fchdir", "cwd", "dotdot",
			}}},
			Control: Control{Harness: "harness_chroot.py"},
			Sibling: writes(),
		},
		{
			ID: "F14", Title: "files by handle", Boundary: "system calls by allow-list",
			Attack: Program{File: "F14.py", Expect: Expect{Held: []string{"name", "identity", "open", "guess"}}},
			Control: Control{
				Privileged: true, Absent: map[string]string{"guess": "the outer cell stands on no file system of a disk"},
			},
			Sibling: callsNative(),
		},
	}
}
