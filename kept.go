package cellwall

import "time"

// Page asks for a part of a list, newest first. After is the cursor that the
// part before ended with.
type Page struct {
	After string // "" = from the newest
	Limit int    // 1 to 200
}

// WorkState is how far an execution has come.
type WorkState string

// The states of an execution that is kept.
const (
	WorkWaiting WorkState = "waiting" // for a person
	WorkQueued  WorkState = "queued"  // accepted, no sandbox yet
	WorkRunning WorkState = "running" // code was sent
	WorkDone    WorkState = "done"    // Result is there
	WorkLost    WorkState = "lost"    // the service died while it ran; nothing of it was answered
)

// KeptExecution is an execution that can be asked for later.
type KeptExecution struct {
	ID       string
	Identity Identity
	Session  string // "" = single
	At       time.Time
	State    WorkState
	Status   Status // with WorkDone
	Metadata map[string]string
	Request  []byte // as it was accepted, until WorkDone; nil when it was not accepted first, and in lists
	Result   []byte // the Result as JSON, as it was answered; nil unless WorkDone, and in lists
}

// KeptArtifact is an artifact with whose it is.
type KeptArtifact struct {
	Artifact
	Tenant    string
	Execution string
	At        time.Time
}

// KeptDataset is a dataset with whose it is and when it came.
type KeptDataset struct {
	Dataset
	Identity Identity
	At       time.Time
}

// KeptUpload is a dataset that arrives in pieces.
type KeptUpload struct {
	ID       string // up_…
	Identity Identity
	Name     string // safe, as the dataset's will be
	Size     int64  // announced
	Received int64  // on disk: where the next piece begins
	Dataset  string // id of what it became; "" = not yet
	At       time.Time
}

// Reservation is what an idempotency key stands for.
type Reservation struct {
	Mine      bool   // this caller does the work; else the fields below are the earlier answer's
	Execution string // id to run it under, the same at each try; what else is made has that [IDBeside] it
	Done      bool   // Status and Body are the answer; else the first caller still works
	Status    int    // of HTTP
	Body      []byte
}
