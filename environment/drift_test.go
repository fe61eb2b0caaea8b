package environment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cellwall/cellwall"
)

func mapFS(name, text string) fstest.MapFS { return fstest.MapFS{name: {Data: []byte(text)}} }

// goneLine locks version 1 of package one, which the mirror had before.
func goneLine(t *testing.T) string {
	return "one 1 " + hexSum + " 100 pool/one_1_amd64.deb\n" + debLine(t, "two", "1")
}

func TestM29_PackageGoneFromTheMirrorIsReplacedAloud(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, goneLine(t))
	opts := m.options()
	var notices []string
	opts.Progress = func(e Event) {
		if e.Step == StepNotice {
			notices = append(notices, e.Item)
		}
	}
	b, err := s.Build(t.Context(), "tiny", opts)
	must(t, err)
	if len(b.Drift) != 1 || b.Drift[0] != "one 2 instead of the locked 1" {
		t.Errorf("drift is %q", b.Drift)
	}
	if said := strings.Join(notices, "\n"); !strings.Contains(said, "the digest will differ") {
		t.Errorf("notices are %q", notices)
	}
	if text, err := os.ReadFile(filepath.Join(b.Root, "usr/share/one")); err != nil || string(text) != "one, version 2\n" {
		t.Errorf("the file is %q: %v", text, err)
	}
}

func TestM29_ReplacementNeedsASignedIndex(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, goneLine(t))
	opts := m.options()
	opts.Keyring = must1(filepath.Abs("testdata/mirror/other.asc"))
	_, err := s.Build(t.Context(), "tiny", opts)
	if err == nil || !strings.Contains(err.Error(), "read the index") || cellwall.HintOf(err) == "" {
		t.Errorf("an index signed by another key: %v", err)
	}
	if n := m.count("/pool/one_2_amd64.deb"); n != 0 {
		t.Errorf("the replacement was fetched %d times", n)
	}
	if l := left(t, s); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}
