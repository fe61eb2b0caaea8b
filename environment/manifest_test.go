package environment

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample() Manifest {
	return Manifest{
		{Path: "usr", Mode: fs.ModeDir | 0o755},
		{Path: "bin", Mode: fs.ModeSymlink | 0o777, Link: "usr/bin"},
		{Path: "usr/a", Mode: 0o644, Size: 3, SHA256: strings.Repeat("ab", 32)},
	}
}

// The golden digest: a change of the format changes every digest that users
// have written down, so it must be meant.
const sampleDigest = "sha256:98b82cb01d6578c01b082ba0b5b9f6b33d06a22c16a0bae90d8cf8d65585a491"

func TestM29_DigestIsStable(t *testing.T) {
	const text = `l 0777 0 - "bin" -> "usr/bin"
d 0755 0 - "usr"
f 0644 3 abababababababababababababababababababababababababababababababab "usr/a"
`
	if got := string(sample().Text()); got != text {
		t.Errorf("text is\n%swant\n%s", got, text)
	}
	if got := sample().Digest(); got != sampleDigest {
		t.Errorf("digest is %s, want %s", got, sampleDigest)
	}
}

func TestM29_DigestIgnoresOrder(t *testing.T) {
	m := sample()
	slices.Reverse(m)
	if m.Digest() != sample().Digest() {
		t.Error("the order of entries changed the digest")
	}
}

func TestM29_DigestSeesEveryChange(t *testing.T) {
	changes := map[string]func(Manifest){
		"mode of a file":      func(m Manifest) { m[2].Mode = 0o755 },
		"setuid bit":          func(m Manifest) { m[2].Mode |= fs.ModeSetuid },
		"mode of a directory": func(m Manifest) { m[0].Mode = fs.ModeDir | 0o700 },
		"target of a link":    func(m Manifest) { m[1].Link = "usr/sbin" },
		"size":                func(m Manifest) { m[2].Size = 4 },
		"content":             func(m Manifest) { m[2].SHA256 = strings.Repeat("cd", 32) },
		"name":                func(m Manifest) { m[2].Path = "usr/b" },
		"newline in a name":   func(m Manifest) { m[2].Path = "usr/a\nf" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			m := sample()
			change(m)
			if m.Digest() == sample().Digest() {
				t.Error("the digest did not change")
			}
		})
	}
}

func TestFirstDifferenceNamesTheFirstPath(t *testing.T) {
	want := sample()
	cases := map[string]struct {
		change func(Manifest) Manifest
		want   string
	}{
		"equal":   {func(m Manifest) Manifest { return m }, ""},
		"changed": {func(m Manifest) Manifest { m[2].Size = 9; return m }, "usr/a was changed"},
		"missing": {func(m Manifest) Manifest { return m[:2] }, "usr/a is missing"},
		"missing in the middle": {
			func(m Manifest) Manifest { return slices.Delete(m, 0, 1) }, "usr is missing",
		},
		"added": {
			func(m Manifest) Manifest { return append(m, Entry{Path: "evil", Mode: 0o644}) }, "evil was added",
		},
		"added last": {
			func(m Manifest) Manifest { return append(m, Entry{Path: "z", Mode: 0o644}) }, "z was added",
		},
		"first of two": {
			func(m Manifest) Manifest { m[1].Link = "x"; m[2].Size = 9; return m }, "bin was changed",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := firstDifference(want.Text(), c.change(sample()).Text()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadManifestSeesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "d", "f"), []byte("abc"), 0o644))
	must(t, os.Symlink("f", filepath.Join(dir, "d", "l")))
	m, err := readManifest(context.Background(), dir, true, nil)
	must(t, err)
	want := "d 0755 0 - \"d\"\n" +
		"f 0644 3 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad \"d/f\"\n" +
		"l 0777 0 - \"d/l\" -> \"f\"\n"
	if got := string(m.Text()); got != want {
		t.Errorf("text is\n%swant\n%s", got, want)
	}
	if m.Bytes() != 3 {
		t.Errorf("bytes are %d, want 3", m.Bytes())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
