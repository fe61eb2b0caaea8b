package native

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestWhatIsNotAvailableYetIsRefused(t *testing.T) {
	b := &Backend{}
	for name, spec := range map[string]cellwall.Spec{
		"home": {Home: "/home/user"}, "users": {Users: []string{"root"}}, "shell": {Shell: true}, "tty": {Tty: true},
	} {
		s, err := b.Open(t.Context(), spec)
		refusedAs(t, name, err)
		if s != nil {
			t.Errorf("%s: a sandbox was opened", name)
		}
		refusedAs(t, name+", warmed", b.Warm(t.Context(), spec))
	}
	for name, code := range map[string]cellwall.Code{
		"language": {Language: "r"}, "context": {Context: "second"},
	} {
		s := &sandbox{}
		_, err := s.Run(t.Context(), code, nil)
		refusedAs(t, name, err)
		if s.used.Load() {
			t.Errorf("%s: the sandbox was used up", name)
		}
	}
	if err := checkCode(cellwall.Code{Language: "python"}); err != nil {
		t.Errorf("python: %v", err)
	}
}

func refusedAs(t *testing.T, name string, err error) {
	t.Helper()
	if cellwall.CodeOf(err) != cellwall.CodeBadRequest || !strings.Contains(err.Error(), "not available yet") || cellwall.HintOf(err) == "" {
		t.Errorf("%s: %v, want a refusal that says not yet and what to do", name, err)
	}
}

func TestNew_SaysWhatIsMissing(t *testing.T) {
	for name, o := range map[string]Options{
		"no state directory": {Self: []string{"/proc/self/exe", "x"}},
		"no command line":    {StateDir: t.TempDir()},
	} {
		b, err := New(o)
		if err == nil {
			b.Close()
			t.Errorf("%s: it was made", name)
		}
	}
}
