package seccomp

import "golang.org/x/sys/unix"

// Requests and options that x/sys/unix does not carry for every architecture.
const (
	fionread = 0x541b
	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451

	fioasync   = 0x5452
	fiosetown  = 0x8901
	siocspgrp  = 0x8902
	tioclinux  = 0x541c
	ficlone    = 0x40049409
	fsGetFlags = 0x80086601
	fsSetFlags = 0x40086602

	madvGuardInstall = 102
	madvGuardRemove  = 103

	archSetGS          = 0x1001
	archSetFS          = 0x1002
	archGetFS          = 0x1003
	archGetGS          = 0x1004
	archXCompSupported = 0x1021
	archXCompPermitted = 0x1022
	archXCompRequest   = 0x1023
)

// The names that a refusal shows; a value without one is shown as a number.

var cloneNames = map[uint32]string{
	unix.CLONE_NEWUSER: "CLONE_NEWUSER", unix.CLONE_NEWNS: "CLONE_NEWNS", unix.CLONE_NEWPID: "CLONE_NEWPID",
	unix.CLONE_NEWNET: "CLONE_NEWNET", unix.CLONE_NEWIPC: "CLONE_NEWIPC", unix.CLONE_NEWUTS: "CLONE_NEWUTS",
	unix.CLONE_NEWCGROUP: "CLONE_NEWCGROUP", unix.CLONE_PARENT: "CLONE_PARENT",
}

var adviceNames = map[uint32]string{
	unix.MADV_MERGEABLE: "MADV_MERGEABLE", unix.MADV_HWPOISON: "MADV_HWPOISON", 101: "MADV_SOFT_OFFLINE",
}

var sockoptNames = map[uint32]string{
	unix.SO_PEERPIDFD: "SO_PEERPIDFD", unix.SO_PEERSEC: "SO_PEERSEC", unix.SO_PEERGROUPS: "SO_PEERGROUPS",
}

var familyNames = map[uint32]string{
	unix.AF_UNSPEC: "AF_UNSPEC", unix.AF_INET: "AF_INET", unix.AF_AX25: "AF_AX25", unix.AF_IPX: "AF_IPX",
	unix.AF_APPLETALK: "AF_APPLETALK", unix.AF_NETROM: "AF_NETROM", unix.AF_BRIDGE: "AF_BRIDGE",
	unix.AF_ATMPVC: "AF_ATMPVC", unix.AF_X25: "AF_X25", unix.AF_INET6: "AF_INET6", unix.AF_ROSE: "AF_ROSE",
	unix.AF_KEY: "AF_KEY", unix.AF_NETLINK: "AF_NETLINK", unix.AF_PACKET: "AF_PACKET", unix.AF_ECONET: "AF_ECONET",
	unix.AF_ATMSVC: "AF_ATMSVC", unix.AF_RDS: "AF_RDS", unix.AF_PPPOX: "AF_PPPOX", unix.AF_LLC: "AF_LLC",
	unix.AF_IB: "AF_IB", unix.AF_MPLS: "AF_MPLS", unix.AF_CAN: "AF_CAN", unix.AF_TIPC: "AF_TIPC",
	unix.AF_BLUETOOTH: "AF_BLUETOOTH", unix.AF_RXRPC: "AF_RXRPC", unix.AF_PHONET: "AF_PHONET",
	unix.AF_IEEE802154: "AF_IEEE802154", unix.AF_ALG: "AF_ALG", unix.AF_NFC: "AF_NFC", unix.AF_VSOCK: "AF_VSOCK",
	unix.AF_KCM: "AF_KCM", unix.AF_QIPCRTR: "AF_QIPCRTR", unix.AF_SMC: "AF_SMC", unix.AF_XDP: "AF_XDP",
}

var oobNames = map[uint32]string{unix.MSG_OOB: "MSG_OOB"}

var hugeNames = map[uint32]string{unix.MAP_HUGETLB: "MAP_HUGETLB", unix.MFD_HUGETLB: "MFD_HUGETLB"}

var seccompNames = map[uint32]string{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER: "SECCOMP_FILTER_FLAG_NEW_LISTENER"}

var fileNames = map[uint32]string{
	0: "S_IFREG", unix.S_IFREG: "S_IFREG", unix.S_IFCHR: "S_IFCHR", unix.S_IFBLK: "S_IFBLK", unix.S_IFSOCK: "S_IFSOCK",
}

var fcntlNames = map[uint32]string{
	unix.F_SETLEASE: "F_SETLEASE", unix.F_GETLEASE: "F_GETLEASE", unix.F_NOTIFY: "F_NOTIFY",
	unix.F_SETOWN: "F_SETOWN", unix.F_SETOWN_EX: "F_SETOWN_EX", unix.F_SETSIG: "F_SETSIG",
	unix.F_GETOWN: "F_GETOWN", unix.F_GETOWN_EX: "F_GETOWN_EX", unix.F_GETSIG: "F_GETSIG",
}

var ioctlNames = map[uint32]string{
	unix.TIOCSTI: "TIOCSTI", tioclinux: "TIOCLINUX", unix.TIOCSCTTY: "TIOCSCTTY", unix.TIOCSPGRP: "TIOCSPGRP",
	unix.TCSETS: "TCSETS", unix.TCSETSW: "TCSETSW", unix.TCSETSF: "TCSETSF", unix.TIOCSWINSZ: "TIOCSWINSZ",
	fioasync: "FIOASYNC", fiosetown: "FIOSETOWN", siocspgrp: "SIOCSPGRP", ficlone: "FICLONE",
	unix.SECCOMP_IOCTL_NOTIF_RECV: "SECCOMP_IOCTL_NOTIF_RECV", unix.SECCOMP_IOCTL_NOTIF_SEND: "SECCOMP_IOCTL_NOTIF_SEND",
	fsGetFlags: "FS_IOC_GETFLAGS", fsSetFlags: "FS_IOC_SETFLAGS",
}

var prctlNames = map[uint32]string{
	unix.PR_SET_MM: "PR_SET_MM", unix.PR_SET_PTRACER: "PR_SET_PTRACER", unix.PR_CAP_AMBIENT: "PR_CAP_AMBIENT",
	unix.PR_CAPBSET_DROP: "PR_CAPBSET_DROP", unix.PR_SET_SECUREBITS: "PR_SET_SECUREBITS",
	unix.PR_SET_KEEPCAPS: "PR_SET_KEEPCAPS", unix.PR_SET_SPECULATION_CTRL: "PR_SET_SPECULATION_CTRL",
	unix.PR_SET_SYSCALL_USER_DISPATCH: "PR_SET_SYSCALL_USER_DISPATCH", unix.PR_SCHED_CORE: "PR_SCHED_CORE",
	unix.PR_SET_TSC: "PR_SET_TSC", unix.PR_MCE_KILL: "PR_MCE_KILL",
}
