package abuse

import "github.com/cellwall/cellwall"

// World is what stands around a run: what an attack is after. The program gets
// it as a dictionary; the secrets are not in it, only where they are.
type World struct {
	CanaryFile string `json:"canary_file"` // on the host; holds Token
	Writable   string `json:"writable"`    // directory on the host that the controller's user may write
	TCP        int    `json:"tcp"`         // port of a listener on the host's 127.0.0.1 that answers with Token
	UDP        int    `json:"udp"`         // port of an echo on the host's 127.0.0.1
	Socket     string `json:"socket"`      // path of a unix socket on the host that answers with Token
	Abstract   string `json:"abstract"`    // name of an abstract unix socket that answers with Token; NAME-log takes datagrams
	PID        int    `json:"pid"`         // process on the host that has Token in its environment
	Timeout    int    `json:"timeout_ms"`  // the run's own limits, so that a program can aim beyond them
	Memory     int64  `json:"memory_bytes"`
	Processes  int    `json:"processes"`

	// Run counts the runs of a case, from 0: a program with several variants
	// chooses by it.
	Run int `json:"run"`

	// Slow is how much slower than usual this machine is, at least 1: what a
	// program says of a clock is to be stretched by it.
	Slow float64 `json:"slow"`

	// Hierarchy are the options of the machine's version 2 of control groups,
	// "" = none: what a control mounts with, so that it changes none of them.
	Hierarchy string `json:"hierarchy"`

	Token string `json:"-"` // unguessable; wherever it comes out, something got through
}

// Outcome is an attack or a sibling after its end.
type Outcome struct {
	Result *cellwall.Result
	Files  map[string][]byte // contents of the artifacts, at most 1 MiB of each
	World  World
	Facts  Facts
}

// Facts are what the host saw from outside.
type Facts struct {
	CanaryChanged bool     // file, directory or process of the canary is not as it was
	Contacts      []string // connections at the canary's listeners, by kind
}

// Exhibit is a control after its end: what the outer cell saw.
type Exhibit struct {
	Exit        int    // of the last run, -1 when it died of a signal
	Signal      string // e.g. "SIGKILL", "" = none
	TimedOut    bool
	Stdout      string // at most 1 MiB, invalid UTF-8 as it was
	StdoutBytes int64  // written in all, counted up to 1 GiB
	Stderr      string
	StderrBytes int64
	Survivors   int                  // processes alive after the program's own end
	Files       map[string]Collected // what a naive collector found in the output directory
	World       World
	Facts       Facts
}

// Collected is what reading one name by path, following links, gave.
type Collected struct {
	Mode     string // as fs.FileMode prints it
	Size     int64  // apparent
	Data     []byte // at most 64 KiB
	Blocked  bool   // the open or the read did not return in time
	Outside  bool   // the name led out of the directory
	ReadFail string // why nothing was read
}
