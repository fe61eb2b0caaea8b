package cellwall

// Status is how an execution ended, told from the kernel's evidence.
type Status string

// The statuses, in the precedence that decides when several hold:
// cancelled > timeout > memory_limit > output_limit > process_limit >
// disk_limit > crashed > error > ok. A limit that was met by code that ended
// ok is a warning, not a status; but where a process was killed for want of
// memory, nothing ends ok.
const (
	StatusOK            Status = "ok"
	StatusError         Status = "error"
	StatusTimeout       Status = "timeout"
	StatusMemoryLimit   Status = "memory_limit"
	StatusProcessLimit  Status = "process_limit"
	StatusDiskLimit     Status = "disk_limit"
	StatusOutputLimit   Status = "output_limit"
	StatusCrashed       Status = "crashed"
	StatusRefused       Status = "refused"
	StatusCancelled     Status = "cancelled"
	StatusInternalError Status = "internal_error"

	// StatusStopped stands in an Observation only, of a Result that is refused
	// because a budget was reached.
	StatusStopped Status = "stopped"
)

// Cause names what made an execution end, in more detail than its Status.
type Cause string

// The causes. CauseSignal and CauseExit carry detail after a colon, as in
// "signal:SIGSEGV" and "exit:7".
const (
	CauseNone      Cause = ""           // ended ok
	CauseException Cause = "exception"  // an uncaught Python exception
	CauseCancelled Cause = "cancelled"  // the caller went away
	CauseDeadline  Cause = "deadline"   // the host's clock ran out
	CauseOOM       Cause = "oom_kill"   // the memory group's OOM killer
	CauseOutput    Cause = "output"     // more output than allowed
	CauseProcesses Cause = "pids_limit" // the pids group refused a fork
	CauseDisk      Cause = "disk_full"  // a size-limited file system is full
	CauseSignal    Cause = "signal"     // died of a signal
	CauseExit      Cause = "exit"       // left without a word
	CauseProtocol  Cause = "protocol"   // the guest broke the protocol
	CausePolicy    Cause = "policy"     // refused before the run
	CauseSession   Cause = "session"    // its session was over before its turn came
	CauseInternal  Cause = "internal"   // Cellwall's own fault
)
