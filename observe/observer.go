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
