package api

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/cellwall/cellwall"
)

// Sessions are interpreters that live from one execution to the next. cmd joins
// package session to it. To every tenant but its own a session is CodeNotFound.
type Sessions interface {
	// Create opens a session. A Result without a Session is one that ended while its
	// data was read.
	Create(context.Context, cellwall.Request, SessionLife) (Session, *cellwall.Result, error)
	Get(id string, who cellwall.Identity) (Session, error)
	List(who cellwall.Identity) []Session
}

// Session is one of them. A call waits for its turn unless it says otherwise.
type Session interface {
	// State waits for nobody.
	State() SessionState
	// Checkpoints are those that are known, without waiting for a cell that runs.
	Checkpoints(context.Context) []cellwall.Checkpoint
	Cell(context.Context, SessionCell, cellwall.Sink) (*cellwall.Result, error)
	// Interrupt waits for nobody.
	Interrupt() error
	// Rollback fails with CodeConflict while a cell runs, unless drop: then that one
	// is cancelled, and those that wait are turned away.
	Rollback(ctx context.Context, to cellwall.Return, drop bool) (cellwall.Restored, error)
	// Branch goes on under a name, from a checkpoint when one is named; "" is a new
	// name.
	Branch(ctx context.Context, name, from string) (SessionBranch, error)
	// Fork opens a session with the live state of this one, in a wall of its own, and
	// says what did not come along. It fails with CodeConflict while a cell runs, unless
	// drop: then that one is cancelled. Without a Session the Result says why the state
	// found no room.
	Fork(ctx context.Context, drop bool) (Session, []cellwall.Notice, *cellwall.Result, error)
	Pause(context.Context) error
	Resume(context.Context) error
	Files(context.Context) (files []SessionFile, more bool, err error)
	Open(ctx context.Context, name string) (fs.File, error)
	// Put holds the session while it reads.
	Put(ctx context.Context, name string, r io.Reader, max int64) error
	Remove(ctx context.Context, name string) error
	Close() error
}

// SessionLife is how long a session may stand; zero fields are the service's.
type SessionLife struct {
	Idle  time.Duration
	Total time.Duration
}

// SessionState is a session at one moment.
type SessionState struct {
	ID          string
	Environment string
	Backend     string
	Limits      cellwall.Limits
	State       string // ready, running, paused, over
	Waiting     int
	Cells       int
	Branch      string
	Branches    []string
	Began       time.Time
	Expires     time.Time
	Budget      cellwall.Budget
	Used        cellwall.Budget

	CPUMS        float64  // processor time of its beginning and its cells
	BetweenCPUMS *float64 // of what ran beside them; nil = nobody counts it here
}

// SessionCell is what a caller says of one cell.
type SessionCell struct {
	ID                string
	Trace             string
	Subject           string
	Code              string
	Purpose           string
	ExpectedArtifacts []string
	Timeout           time.Duration
	Language          string
	AttemptsLeft      *int
	TokenCost         float64
	KeepFiles         bool
	Metadata          map[string]string
	Approved          bool                // see cellwall.Request
	Functions         []cellwall.Function // beside those of the session

	Begin func(context.Context) error // see cellwall.Request
}

// SessionBranch says what Branch did.
type SessionBranch struct {
	Branch     string             `json:"branch"`
	Checkpoint string             `json:"checkpoint" doc:"On which it stands"`
	New        bool               `json:"new"`
	Unkept     int                `json:"unkept" doc:"Cells of the branch that was left, behind its newest checkpoint: they are lost"`
	Restored   *cellwall.Restored `json:"restored,omitempty" doc:"When the state was changed: what it went back to"`
}

// SessionFile is a file below /workspace/output. Its name is hostile.
type SessionFile struct {
	Name     string
	Bytes    int64
	Modified time.Time
	Folder   bool
	Plain    bool // a regular file
}
