package cellwall

// InputFact is what is known of an input outside of the sandbox.
type InputFact struct {
	ID     string `json:"id,omitempty"` // "" when the input is not stored
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Evidence is everything that is known when an execution is put into words.
type Evidence struct {
	Request     Request
	Result      *Result
	Tables      []TableInScope // the code could see when it failed
	Notices     []Notice
	Met         []Cause // every limit that was met, by the kernel's word
	Refused     []Refusal
	Environment Environment
	Limits      Limits
	Datasets    []Dataset // the inputs as described inside, for a cell when its session began
	Stop        *Stop     // the budget that forbade the execution; Suggestion is still to be worded

	Mask func(string) string // takes personal data out of what a model is told; nil = it stays
}
