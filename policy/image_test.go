package policy

import (
	"testing"

	"github.com/cellwall/cellwall"
)

// python-stats: pandas numpy scipy statsmodels; python-ml-lite: pandas numpy
// scikit-learn. What an image is there for may be imported in it, and only there.
func TestM32_AnImageAllowsWhatItIsFor(t *testing.T) {
	for image, modules := range map[string]map[string]Verdict{
		"python-data-basic": {"pandas": Pass, "scipy": Refuse, "statsmodels": Refuse, "sklearn": Refuse},
		"python-stats":      {"pandas": Pass, "scipy": Pass, "statsmodels": Pass, "sklearn": Refuse},
		"python-ml-lite":    {"pandas": Pass, "scipy": Pass, "sklearn": Pass, "requests": Refuse},
	} {
		for module, want := range modules {
			parser := &said{outline: Outline{Imports: []Import{{Module: module, Line: 1}}}}
			program := Program{Source: "import " + module, Profile: Strict, Environment: cellwall.Environment{Name: image}}
			if _, got, err := newChain(t, Options{Parser: parser}).Check(t.Context(), program); got != want || err != nil {
				t.Errorf("%s in %s: %s %v, want %s", module, image, got, err, want)
			}
		}
	}
}
