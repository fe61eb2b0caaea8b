package observe

import "github.com/cellwall/cellwall"

// observer is one observation in the making.
type observer struct {
	in     Input
	limits cellwall.Limits
	zh     bool
}

func newObserver(in Input) *observer {
	if in.Datasets == nil {
		in.Datasets = in.Result.Datasets
	}
	if in.Inputs == nil {
		for _, d := range in.Datasets {
			in.Inputs = append(in.Inputs, d.Name)
		}
	}
	return &observer{in: in, limits: in.Limits.WithDefaults(), zh: in.Language == "zh"}
}

// mask applies Input.Mask when there is one.
func (o *observer) mask(s string) string {
	if o.in.Mask == nil {
		return s
	}
	return o.in.Mask(s)
}

func (o *observer) success() cellwall.Observation {
	out := cellwall.Observation{OK: true, Warnings: o.warnings()}
	for _, a := range o.in.Result.Artifacts {
		out.Artifacts = append(out.Artifacts, cellwall.ObservationArtifact{Type: a.Type, Path: a.Path})
	}
	return out
}

func (o *observer) failure() cellwall.Observation {
	out := cellwall.Observation{Status: o.in.Result.Status, AttemptsLeft: o.in.AttemptsLeft, Warnings: o.warnings()}
	if e := o.in.Result.Error; e != nil {
		out.ErrorType, out.FailedLine = e.Type, e.Line
	}
	return out
}

func (o *observer) warnings() []string { return []string{} }
