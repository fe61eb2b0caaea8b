package observe

import "testing"

func TestM10_OnlyAModuleIsSaidToBeMissing(t *testing.T) {
	for _, tt := range []struct{ message, kind, want string }{
		{"The '.style' accessor requires jinja2", "AttributeError", "jinja2"},
		{"lxml not found, this needs the lxml package", "ImportError", "lxml"},
		{"Image export requires the `kaleido` package", "ValueError", "kaleido"},
		{"this needs a package", "RuntimeError", ""},
		{"a fit needs another library", "ImportError", ""},
		{"training needs features", "RuntimeError", ""},
		{"the plan requires customer library", "ValueError", ""},
		{"it requires numbers", "ValueError", ""},
		{"it needs the lxml package", "KeyError", ""},
	} {
		if got := needed(tt.message, tt.kind); got != tt.want {
			t.Errorf("%s: %s: it says %q is missing, want %q", tt.kind, tt.message, got, tt.want)
		}
	}
}
