package guest

import "encoding/json"

// What host and guest of a session say to each other, see "Life of a session"
// in the package's documentation.

// Begin makes the first state: inputs parsed into df and dfs.
type Begin struct {
	Execution string            `json:"execution"`
	Inputs    []string          `json:"inputs"`             // names below /workspace/input, first is df
	Rows      int               `json:"rows"`               // row limit
	Sample    string            `json:"sample"`             // "random" or "head"
	Env       map[string]string `json:"env"`                // of the whole session
	Restrict  json.RawMessage   `json:"restrict,omitempty"` // as of Run, for what comes with a state
	State     bool              `json:"state"`              // a descriptor comes with it, from which another session's state is read in place of inputs
}

// Cell is one cell of a session.
type Cell struct {
	Execution string            `json:"execution"`
	Source    string            `json:"source"`
	File      string            `json:"file"`  // unique, so that tracebacks find the cell
	Count     int               `json:"count"` // n of In[n]
	Env       map[string]string `json:"env"`   // taken back at the cell's end
	Tools     []Tool            `json:"tools,omitempty"`

	Restrict json.RawMessage `json:"restrict,omitempty"` // as of Run
}

// Take asks for a snapshot. One descriptor comes with it: the channel of the
// snapshot.
type Take struct {
	Checkpoint string `json:"checkpoint"`
}

// Resume asks a snapshot, on its own channel, for a live interpreter. One
// descriptor comes with it: the channel of that interpreter.
type Resume struct {
	Checkpoint string `json:"checkpoint"`
	Reseed     bool   `json:"reseed"` // generators that the code did not seed itself
}

// Export asks a live interpreter for its state. One descriptor comes with it, to
// which the state is written and which is closed then.
type Export struct{}

// Written is the answer to Export.
type Written struct {
	Lost  []Notice `json:"lost"`  // is not in it
	Error string   `json:"error"` // why it is not whole
}

// The kinds of Ask.
const (
	AskVariables = "variables"
	AskComplete  = "complete"
	AskFinished  = "finished"
	AskOutline   = "outline"
	AskParses    = "parses"
)

// Ask asks the live interpreter about its state, between cells.
type Ask struct {
	ID     uint64 `json:"id"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Cursor int    `json:"cursor"` // in characters
}

// Standing is the first frame of a snapshot, on its own channel: it has left
// the interpreter's group of processes, blocks every signal and waits. With
// Error, which the interpreter sends there in its place, there is none.
type Standing struct {
	Checkpoint string   `json:"checkpoint"`
	Error      string   `json:"error"`
	Cannot     []Notice `json:"cannot"` // come back with it
}

// Up is the first frame of an interpreter that came from a snapshot, on its own
// channel: random state, file offsets and Popen.returncode are repaired.
type Up struct {
	Checkpoint string   `json:"checkpoint"`
	Lost       []Notice `json:"lost"`
}

// Answer answers an Ask. Kinds that were not asked for are empty.
type Answer struct {
	ID        uint64     `json:"id"`
	Variables []Variable `json:"variables"`
	Matches   []string   `json:"matches"`
	Start     int        `json:"start"` // of what a match replaces
	End       int        `json:"end"`
	Finished  bool       `json:"finished"`
	Indent    string     `json:"indent"`

	Outline json.RawMessage `json:"outline,omitempty"` // see driver/_cellwall/outline.py
}

// Variable is one name of the session's namespace.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape string `json:"shape"`
	Bytes int64  `json:"bytes"` // 0 = not known
}
