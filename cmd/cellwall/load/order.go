package load

import "time"

// Order is what the child does with one line.
type Order struct {
	URL     string   // of POST
	Streams []Stream // beside each other
}

// Stream is one kind of calls. Either Runs or For is set.
type Stream struct {
	Key       string        // e2b_…
	Body      string        // of each request, JSON
	Callers   int           // of a closed stream; 0 = 1
	PerSecond float64       // of an open one; 0 = it is closed
	Pause     time.Duration // of each caller before each call
	Runs      int           // calls altogether, of a closed stream
	For       time.Duration // calls begin for so long
}

// Saw is what came of one stream.
type Saw struct {
	OK      []time.Duration // of executions that ended ok, in the order of their answers
	Refused []time.Duration // of 429 and 503
	Other   map[string]int  // everything else, by what it was
	Done    int             // of OK: answered before For was over
	Took    time.Duration   // until the last answer
}

// answer is the line that a child writes.
type answer struct {
	Saw   []Saw  `json:"saw,omitempty"`
	Error string `json:"error,omitempty"`
}
