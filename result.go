package cellwall

// Result is the answer to one execution, as surface documents show it.
type Result struct {
	ID        string  `json:"id"`
	SessionID *string `json:"session_id"`
	OK        bool    `json:"ok"` // exactly when Status is ok
	Status    Status  `json:"status"`
	Cause     Cause   `json:"cause"`

	Error    *ExecutionError `json:"error"`
	Findings []Finding       `json:"findings"`
	Stdout   Output          `json:"stdout"`
	Stderr   Output          `json:"stderr"`
	Results  []Rich          `json:"results"`

	Artifacts        []Artifact        `json:"artifacts"`
	SkippedArtifacts []SkippedArtifact `json:"skipped_artifacts"`

	Datasets    []Dataset   `json:"datasets,omitempty"`
	Warnings    []string    `json:"warnings"`
	Usage       Usage       `json:"usage"`
	Boundary    Boundary    `json:"boundary"`
	Observation Observation `json:"observation"`

	Restored *Restored `json:"restored,omitempty"` // what the session went back to
}

// ExecutionError is the exception that ended the code. Everything in it is the
// code's own text, bounded.
type ExecutionError struct {
	Type      string `json:"type"`
	Message   string `json:"message"`
	Line      int    `json:"line"` // deepest line of the user's own code, 1 = first; 0 unknown
	Traceback string `json:"traceback"`
	Excerpt   string `json:"excerpt,omitempty"` // source around Line; below it the line of the module that led there, when it is another
	Name      string `json:"name,omitempty"`    // the missing key, attribute, module, file or name, when the exception has one
}

// Output is one captured stream.
type Output struct {
	Text      string `json:"text"`  // valid UTF-8; head and tail when truncated
	Bytes     int64  `json:"bytes"` // written in all
	Truncated bool   `json:"truncated"`
}

// Finding is one thing that a check or the wall objected to.
type Finding struct {
	Rule    string `json:"rule"`
	Line    int    `json:"line"` // 1 = first
	Message string `json:"message"`
	Instead string `json:"instead,omitempty"` // what to use in its place
	Advice  bool   `json:"advice,omitempty"`  // said in passing: it refuses nothing
}

// Artifact is one file the code left in its output directory.
type Artifact struct {
	ID        string `json:"id"`
	Name      string `json:"name"` // relative to out_dir, "/" separated
	Type      string `json:"type"` // image table document data text archive
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	Path      string `json:"path"` // relative to out_dir
	SavedTo   string `json:"saved_to,omitempty"`

	// Flags warn whoever opens the file; its content is delivered as it is.
	Flags []string `json:"flags,omitempty"`
}

// FlagFormulas marks a table of text with cells that a spreadsheet may run.
const FlagFormulas = "formulas"

// FlagUnmasked marks what may hold personal data although the tenant's is masked: a
// picture, a workbook, whatever is no plain text.
const FlagUnmasked = "unmasked"

// SkippedArtifact is a file that was not taken, and why.
type SkippedArtifact struct {
	Name   string `json:"name"` // escaped when it is not valid text
	Reason string `json:"reason"`
}

// Boundary says what held the execution.
type Boundary struct {
	Backend     string   `json:"backend"`
	Environment string   `json:"environment"` // Environment.Ref
	Network     string   `json:"network"`     // "none"
	Degraded    []string `json:"degraded"`    // names of missing protections
}

// Observation is what a model is given: short, bounded, with a way forward.
type Observation struct {
	OK     bool   `json:"ok"`
	Status Status `json:"status,omitempty"`

	ErrorType         string            `json:"error_type,omitempty"`
	ErrorMessage      string            `json:"error_message,omitempty"` // at most 500 characters
	FailedLine        int               `json:"failed_line,omitempty"`
	FailedCodeExcerpt string            `json:"failed_code_excerpt,omitempty"` // at most 1,000 characters
	AvailableColumns  []string          `json:"available_columns,omitempty"`
	DTypes            map[string]string `json:"dtypes,omitempty"`
	DidYouMean        []string          `json:"did_you_mean,omitempty"`
	RetryHint         string            `json:"retry_hint,omitempty"`
	AttemptsLeft      *int              `json:"attempts_left,omitempty"`

	StdoutExcerpt string                `json:"stdout_excerpt,omitempty"`
	ResultExcerpt string                `json:"result_excerpt,omitempty"`
	Artifacts     []ObservationArtifact `json:"artifacts,omitempty"`
	Warnings      []string              `json:"warnings,omitempty"`

	*Stop // with StatusStopped
}

// ObservationArtifact is an artifact as a model hears of it.
type ObservationArtifact struct {
	Type string `json:"type"`
	Path string `json:"path"`
}
