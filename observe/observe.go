package observe

import "github.com/cellwall/cellwall"

// Input is everything an observation is made of. Result is required; every
// other field may be zero.
type Input struct {
	Result   *cellwall.Result
	Code     string                  // as it was sent
	Tables   []cellwall.TableInScope // tables alive when the code failed
	Notices  []cellwall.Notice       // what the driver or the controller noticed
	Datasets []cellwall.Dataset      // as parsed inside; nil means Result.Datasets
	Inputs   []string                // names below /workspace/input; nil means those of Datasets
	Packages []cellwall.Package      // of the environment
	Met      []cellwall.Cause        // every limit that was met, by the kernel's word
	Refused  []cellwall.Refusal      // system calls the wall refused
	Limits   cellwall.Limits         // those that held; zero fields mean the default

	Functions []string // that the code could call, as tools.<name>

	Language          string   // "en" (default) or "zh"
	AttemptsLeft      *int     // nil = not counted
	ExpectedArtifacts []string // as the request declared them

	Stop *cellwall.Stop // the budget that forbade the execution, nil when it ran

	// Mask, when set, rewrites every text that a model is given, before it is
	// cut to its bound.
	Mask func(string) string
}

// Observe tells the Result as a model should hear it. It does not change the
// Result.
func Observe(in Input) cellwall.Observation {
	o := newObserver(in)
	switch {
	case in.Stop != nil:
		return o.stopped()
	case in.Result.OK:
		return o.success()
	}
	return o.failure()
}

// Warnings returns the sentences for Result.Warnings; never nil. The
// Observation carries the same.
func Warnings(in Input) []string {
	return newObserver(in).warnings()
}
