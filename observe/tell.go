package observe

import "github.com/cellwall/cellwall"

// Tell puts the evidence of an execution into words: the warnings of its
// Result, and what the model is told.
func Tell(e cellwall.Evidence) (warnings []string, told cellwall.Observation) {
	in := Input{
		Result: e.Result, Code: e.Request.Code, Tables: e.Tables, Notices: e.Notices, Datasets: e.Datasets, Met: e.Met,
		Packages: e.Environment.Packages, Refused: e.Refused, Limits: e.Limits,
		Language: e.Request.Language, AttemptsLeft: e.Request.AttemptsLeft,
		ExpectedArtifacts: e.Request.ExpectedArtifacts, Stop: e.Stop, Mask: e.Mask,
	}
	for _, d := range e.Request.Datasets {
		in.Inputs = append(in.Inputs, d.Name)
	}
	for _, f := range e.Request.Functions {
		in.Functions = append(in.Functions, f.Name)
	}
	return Warnings(in), Observe(in)
}
