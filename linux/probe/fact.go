package probe

import "strings"

// Fact is one thing that this host can do, or cannot.
type Fact struct {
	Name      string `json:"name"` // one of the names below
	OK        bool   `json:"ok"`
	Mechanism string `json:"mechanism"`        // what was tried
	MinKernel string `json:"min_kernel"`       // first Linux that has it, e.g. "5.7"
	Detail    string `json:"detail,omitempty"` // what was found, or why not
	Hint      string `json:"hint,omitempty"`   // what a person can do when not OK
	Rule      string `json:"rule,omitempty"`   // the host's rule behind a refusal; "" when not OK means: for want of the mechanism

	passing bool // the answer may be another one next time
}

// The names of the facts, in the order in which they are reported.
const (
	Kernel          = "kernel"
	UserNamespace   = "user_namespace"
	IDRange         = "id_range"
	PIDNamespace    = "pid_namespace"
	MountNamespace  = "mount_namespace"
	NetNamespace    = "net_namespace"
	IPCNamespace    = "ipc_namespace"
	UTSNamespace    = "uts_namespace"
	CgroupNamespace = "cgroup_namespace"
	TimeNamespace   = "time_namespace"
	TmpfsMount      = "tmpfs_mount"
	ProcMount       = "proc_mount"
	SeccompFilter   = "seccomp_filter"
	SeccompNotify   = "seccomp_notify"
	PidfdOpen       = "pidfd_open"
	PidfdSignal     = "pidfd_send_signal"
	Openat2         = "openat2"
	CloseRange      = "close_range"
	Memfd           = "memfd"
	Landlock        = "landlock"
	CgroupMemory    = "cgroup_memory"
	CgroupPIDs      = "cgroup_pids"
	CgroupCPU       = "cgroup_cpu"
)

// Available reports OK. With Since, Excuse and String it makes a Fact what test
// helpers require.
func (f Fact) Available() bool { return f.OK }

// Since returns MinKernel.
func (f Fact) Since() string { return f.MinKernel }

// Excuse returns Rule.
func (f Fact) Excuse() string { return f.Rule }

// String is "name: yes (mechanism): detail" on one line.
func (f Fact) String() string {
	answer := "no"
	if f.OK {
		answer = "yes"
	}
	return strings.TrimSuffix(f.Name+": "+answer+" ("+f.Mechanism+"): "+f.Detail, ": ")
}
