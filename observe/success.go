package observe

import "github.com/cellwall/cellwall"

func (o *observer) success() cellwall.Observation {
	out := cellwall.Observation{
		OK:            true,
		AttemptsLeft:  o.in.AttemptsLeft,
		StdoutExcerpt: o.stdoutExcerpt(o.in.Result.Stdout),
		ResultExcerpt: o.resultExcerpt(),
		Artifacts:     o.artifacts(),
		Warnings:      o.warnings(),
	}
	if more := len(o.in.Result.Artifacts) - len(out.Artifacts); more > 0 {
		out.Warnings = append(out.Warnings, o.say(artifactsCut,
			"count", grouped(int64(len(o.in.Result.Artifacts))), "listed", grouped(int64(len(out.Artifacts)))))
	}
	return out
}

func (o *observer) artifacts() []cellwall.ObservationArtifact {
	var all []cellwall.ObservationArtifact
	for _, a := range o.in.Result.Artifacts {
		if len(all) == maxListed {
			break
		}
		all = append(all, cellwall.ObservationArtifact{Type: a.Type, Path: cutMiddle(o.mask(oneLine(a.Path)), 3*maxName)})
	}
	return all
}
