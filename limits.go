package cellwall

import (
	"fmt"
	"time"
)

// Limits is what an execution may use. The zero value of a field means "the
// default"; see [Limits.WithDefaults].
type Limits struct {
	Timeout     time.Duration // wall clock of one execution, host's monotonic clock
	MemoryBytes int64         // all processes, tmpfs pages included, no swap
	CPUs        float64       // cores
	Processes   int           // processes and threads together

	OutputKeepBytes int64 // head, and again tail, kept of each stream in the Result
	OutputLogBytes  int64 // whole log kept for the operator
	OutputBytes     int64 // written in all before the run is ended as output_limit

	WorkspaceBytes  int64 // /workspace/output
	WorkspaceInodes int64
	TmpBytes        int64 // /tmp and /dev/shm together
	TmpInodes       int64

	ArtifactBytes      int64 // one artifact
	ArtifactTotalBytes int64 // all artifacts of an execution
	Artifacts          int   // number of artifacts

	InputBytes int64 // all input files of one execution together

	Rows int // rows of a dataset handed to the code

	Checkpoints     int   // of a session, kept at once
	CheckpointBytes int64 // copies of files that all checkpoints of a session hold
}

// Sizes in bytes.
const (
	KiB = int64(1) << 10
	MiB = int64(1) << 20
	GiB = int64(1) << 30
)

// DefaultLimits are those of a one-shot analysis.
func DefaultLimits() Limits {
	return Limits{
		Timeout: 8 * time.Second, MemoryBytes: 512 * MiB, CPUs: 1, Processes: 64,
		OutputKeepBytes: 256 * KiB, OutputLogBytes: 16 * MiB, OutputBytes: 64 * MiB,
		WorkspaceBytes: 128 * MiB, WorkspaceInodes: 4096, TmpBytes: 64 * MiB, TmpInodes: 4096,
		ArtifactBytes: 32 * MiB, ArtifactTotalBytes: 64 * MiB, Artifacts: 64,
		InputBytes: 512 * MiB, Rows: 10_000,
		Checkpoints: 16, CheckpointBytes: 64 * MiB,
	}
}

// MaxLimits is the ceiling of the operator's API.
func MaxLimits() Limits {
	return Limits{
		Timeout: 300 * time.Second, MemoryBytes: 64 * GiB, CPUs: 64, Processes: 4096,
		OutputKeepBytes: 4 * MiB, OutputLogBytes: 256 * MiB, OutputBytes: 1 * GiB,
		WorkspaceBytes: 16 * GiB, WorkspaceInodes: 1 << 20, TmpBytes: 16 * GiB, TmpInodes: 1 << 20,
		ArtifactBytes: 1 * GiB, ArtifactTotalBytes: 4 * GiB, Artifacts: 4096,
		InputBytes: 16 * GiB, Rows: 50_000_000,
		Checkpoints: 256, CheckpointBytes: 1 * GiB,
	}
}

// MaxCodeBytes is the operator's ceiling on source code, in characters.
const MaxCodeBytes = 100_000

// MaxInputs is how many input files one execution may have.
const MaxInputs = 64

// WithDefaults fills zero fields from DefaultLimits.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	fill(&l.Timeout, d.Timeout)
	fill(&l.MemoryBytes, d.MemoryBytes)
	fill(&l.CPUs, d.CPUs)
	fill(&l.Processes, d.Processes)
	fill(&l.OutputKeepBytes, d.OutputKeepBytes)
	fill(&l.OutputLogBytes, d.OutputLogBytes)
	fill(&l.OutputBytes, d.OutputBytes)
	fill(&l.WorkspaceBytes, d.WorkspaceBytes)
	fill(&l.WorkspaceInodes, d.WorkspaceInodes)
	fill(&l.TmpBytes, d.TmpBytes)
	fill(&l.TmpInodes, d.TmpInodes)
	fill(&l.ArtifactBytes, d.ArtifactBytes)
	fill(&l.ArtifactTotalBytes, d.ArtifactTotalBytes)
	fill(&l.Artifacts, d.Artifacts)
	fill(&l.InputBytes, d.InputBytes)
	fill(&l.Rows, d.Rows)
	fill(&l.Checkpoints, d.Checkpoints)
	fill(&l.CheckpointBytes, d.CheckpointBytes)
	return l
}

func fill[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}

// Validate reports the first field outside its range, as CodeBadRequest.
func (l Limits) Validate() error {
	m := MaxLimits()
	switch {
	case l.Timeout < 100*time.Millisecond || l.Timeout > m.Timeout:
		return outOfRange("timeout", l.Timeout, "100ms", m.Timeout)
	case !(l.CPUs >= 0.1 && l.CPUs <= m.CPUs): // so put, NaN is outside too
		return outOfRange("cpus", l.CPUs, 0.1, m.CPUs)
	case l.MemoryBytes < 64*MiB || l.MemoryBytes > m.MemoryBytes:
		return outOfRange("memory", l.MemoryBytes, "64MiB", "64GiB")
	}
	for _, field := range [...]struct {
		name            string
		got, low, limit int64
	}{
		{"pids", int64(l.Processes), 4, int64(m.Processes)},
		{"kept output", l.OutputKeepBytes, 0, m.OutputKeepBytes},
		{"output log", l.OutputLogBytes, 0, m.OutputLogBytes},
		{"output", l.OutputBytes, 0, m.OutputBytes},
		{"workspace", l.WorkspaceBytes, 0, m.WorkspaceBytes},
		{"workspace files", l.WorkspaceInodes, 0, m.WorkspaceInodes},
		{"tmp", l.TmpBytes, 0, m.TmpBytes},
		{"tmp files", l.TmpInodes, 0, m.TmpInodes},
		{"artifact bytes", l.ArtifactBytes, 0, m.ArtifactBytes},
		{"bytes of all artifacts", l.ArtifactTotalBytes, 0, m.ArtifactTotalBytes},
		{"artifacts", int64(l.Artifacts), 0, int64(m.Artifacts)},
		{"bytes of all inputs", l.InputBytes, 0, m.InputBytes},
		{"rows", int64(l.Rows), 1, int64(m.Rows)},
		{"checkpoints", int64(l.Checkpoints), 1, int64(m.Checkpoints)},
		{"copies of files", l.CheckpointBytes, 0, m.CheckpointBytes},
	} {
		if field.got < field.low || field.got > field.limit {
			return outOfRange(field.name, field.got, field.low, field.limit)
		}
	}
	return nil
}

func outOfRange(name string, got, low, high any) error {
	return &Error{Code: CodeBadRequest, Op: "check " + name, Err: fmt.Errorf("%v is outside %v to %v", got, low, high)}
}

// Usage is what an execution was measured to use.
type Usage struct {
	WallMS          float64 `json:"wall_ms"`           // code sent to end known
	CPUMS           float64 `json:"cpu_ms"`            // all processes
	StartupMS       float64 `json:"startup_ms"`        // request to code sent
	MemoryPeakBytes int64   `json:"memory_peak_bytes"` // whole group
	ProcessesPeak   int     `json:"processes_peak"`    // processes and threads
}
