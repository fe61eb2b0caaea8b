package environment

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// arOf builds an ar archive of name, content pairs.
func arOf(members ...string) []byte {
	var b bytes.Buffer
	b.WriteString(arMagic)
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&b, "%-16s%-12s%-6s%-6s%-8s%-10d`\n", members[i], "0", "0", "0", "100644", len(members[i+1]))
		b.WriteString(members[i+1])
		if len(members[i+1])%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func tarOf(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		content := h.Uname // a place to keep the content of a test entry
		h.Uname = ""
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		must(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(content))
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.String()
}

func file(name, content string, mode int64) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode, Uname: content}
}

func link(name, target string, kind byte) tar.Header {
	return tar.Header{Name: name, Linkname: target, Typeflag: kind}
}

// debOf builds a package whose data is an uncompressed tar.
func debOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	return arOf("debian-binary", "2.0\n", "control.tar", "x", "data.tar", tarOf(t, headers...))
}

func rootFor(t *testing.T, prune ...string) (string, *placer) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(dir, 0o755))
	r, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	skip, err := parseGlobs(prune)
	must(t, err)
	return dir, newPlacer(r, skip)
}

func unpack(raw []byte, to *placer) error {
	return unpackDebFrom(context.Background(), bytes.NewReader(raw), to)
}

func TestDebIsPlacedWithNormalModesAndWithoutSetuid(t *testing.T) {
	dir, to := rootFor(t, "usr/share/man")
	must(t, mergeUsr(to))
	must(t, unpack(debOf(t,
		file("./usr/bin/su", "s", 0o4755), file("./usr/lib/x.so", "x", 0o600), file("./usr/share/man/m", "m", 0o644),
		link("./usr/lib/y.so", "x.so", tar.TypeSymlink), link("./usr/lib/abs.so", "/usr/lib/x.so", tar.TypeSymlink),
		link("./usr/lib/hard.so", "./usr/lib/x.so", tar.TypeLink), file("./lib64/ld.so", "ld", 0o755),
	), to))
	m, err := readManifest(context.Background(), dir, false, nil)
	must(t, err)
	var got []string
	for _, e := range m {
		got = append(got, fmt.Sprintf("%s %04o %s", e.Path, bits(e.Mode), e.Link))
	}
	want := []string{
		"bin 0777 usr/bin", "lib 0777 usr/lib", "lib64 0777 usr/lib64", "sbin 0777 usr/sbin", "usr 0755 ", "usr/bin 0755 ",
		"usr/bin/su 0755 ", "usr/lib 0755 ", "usr/lib/abs.so 0777 x.so", "usr/lib/hard.so 0644 ", "usr/lib/x.so 0644 ",
		"usr/lib/y.so 0777 x.so", "usr/lib64 0755 ", "usr/lib64/ld.so 0755 ", "usr/sbin 0755 ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("root holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHostileDebsArePlacedNowhere(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"climbing name":          {file("../evil", "x", 0o644)},
		"climbing below":         {file("./usr/../../evil", "x", 0o644)},
		"absolute name":          {file("/evil", "x", 0o644)},
		"link that leaves":       {link("./l", "../evil", tar.TypeSymlink)},
		"link that leaves below": {link("./usr/lib/l", "../../../evil", tar.TypeSymlink)},
		"link to nothing":        {link("./l", "", tar.TypeSymlink)},
		"through a link": {
			link("./usr/l", "../usr/m", tar.TypeSymlink), link("./usr/m", "..", tar.TypeSymlink), file("./usr/m/../evil", "x", 0o644),
		},
		"hard link that leaves": {link("./l", "../evil-source", tar.TypeLink)},
		"hard link to nothing":  {link("./l", "./nothing", tar.TypeLink)},
		"device":                {{Name: "./dev", Typeflag: tar.TypeChar}},
		"block device":          {{Name: "./dev", Typeflag: tar.TypeBlock}},
		"fifo":                  {{Name: "./fifo", Typeflag: tar.TypeFifo}},
		"twice":                 {file("./a", "1", 0o644), file("./a", "2", 0o644)},
		"file over a link":      {link("./a", "b", tar.TypeSymlink), file("./a", "2", 0o644)},
		"directory is a file":   {file("./a", "1", 0o644), file("./a/b", "2", 0o644)},
		"root itself":           {file(".", "1", 0o644)},
	} {
		t.Run(name, func(t *testing.T) {
			dir, to := rootFor(t)
			must(t, os.WriteFile(filepath.Join(filepath.Dir(dir), "evil-source"), nil, 0o644))
			if err := unpack(debOf(t, headers...), to); err == nil {
				t.Error("it was unpacked without an error")
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "evil")); err == nil {
				t.Error("a file was written outside of the root")
			}
		})
	}
}

// Positive control of the test above: the way through an earlier link is open
// to a writer that does not use os.Root.
func TestLinkAttackWorksWithoutTheRoot(t *testing.T) {
	dir, to := rootFor(t)
	must(t, os.Symlink("..", filepath.Join(dir, "out"))) // as no archive could
	if err := to.file("out/evil", false, strings.NewReader("x")); err == nil {
		t.Error("os.Root followed a link out of the root")
	}
	must(t, os.WriteFile(filepath.Join(dir, "out", "evil"), []byte("x"), 0o644))
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "evil")); err != nil {
		t.Errorf("the control did not leave the root: %v", err)
	}
}

func TestBrokenDebsEndInAnError(t *testing.T) {
	whole := debOf(t, file("./a", "content", 0o644))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(tarOf(t, file("./a", "content", 0o644))))
	must(t, err)
	must(t, z.Close())
	for name, raw := range map[string][]byte{
		"empty":             {},
		"no archive":        []byte("hello, world"),
		"magic only":        []byte(arMagic),
		"no data":           arOf("debian-binary", "2.0\n"),
		"cut header":        whole[:len(arMagic)+30],
		"cut data":          whole[:len(whole)-1100],
		"size in words":     bytes.Replace(whole, []byte("4         `"), []byte("four      `"), 1),
		"no end mark":       bytes.Replace(whole, []byte("`\n"), []byte("xx"), 1),
		"other compression": arOf("data.tar.zst", "x"),
		"no xz":             arOf("data.tar.xz", "x"),
		"cut gzip":          arOf("data.tar.gz", zipped.String()[:zipped.Len()-10]),
	} {
		t.Run(name, func(t *testing.T) {
			_, to := rootFor(t)
			if err := unpack(raw, to); err == nil {
				t.Error("it was unpacked without an error")
			}
		})
	}
	_, to := rootFor(t)
	if err := unpack(arOf("data.tar.gz", zipped.String()), to); err != nil {
		t.Errorf("the sound sibling is refused: %v", err)
	}
}

func FuzzDeb(f *testing.F) {
	t := &testing.T{}
	f.Add(debOf(t, file("./a", "x", 0o644), link("./b", "a", tar.TypeSymlink)))
	f.Add(arOf("data.tar.xz", "\xfd7zXZ\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir, to := rootFor(t)
		_ = unpack(raw, to) // an error is fine; leaving the root is not
		around, err := os.ReadDir(filepath.Dir(dir))
		must(t, err)
		if len(around) != 1 {
			t.Errorf("something was written beside the root: %v", around)
		}
	})
}

func wheelOf(t *testing.T, entries map[string]string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.whl")
	f, err := os.Create(path)
	must(t, err)
	z := zip.NewWriter(f)
	for name, text := range entries {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
	}
	must(t, z.Close())
	must(t, f.Close())
	return path
}

func TestWheelBringsModulesAndNoPrograms(t *testing.T) {
	dir, to := rootFor(t, "**/tests")
	w := wheelOf(t, map[string]string{
		"p/__init__.py": "", "p/tests/t.py": "", "p-1.data/scripts/p": "#!", "p-1.data/purelib/q.py": "", "p-1.data/data/share/x": "",
		"p-1.dist-info/METADATA": "", "p-1.dist-info/RECORD": "", "p-1.dist-info/licenses/LICENSE": "",
	}, 0o755)
	must(t, installWheel(context.Background(), w, to.at("site")))
	m, err := readManifest(context.Background(), dir, false, nil)
	must(t, err)
	var got []string
	for _, e := range m {
		if e.Mode.IsRegular() {
			got = append(got, fmt.Sprintf("%s %04o", e.Path, bits(e.Mode)))
		}
	}
	want := "site/p/__init__.py 0644 site/p-1.dist-info/METADATA 0644 site/p-1.dist-info/licenses/LICENSE 0644 site/q.py 0644"
	if have := strings.Join(got, " "); !sameWords(have, want) {
		t.Errorf("installed %s, want %s", have, want)
	}
}

func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestHostileWheelsAreRefused(t *testing.T) {
	for name, w := range map[string]string{
		"climbing": wheelOf(t, map[string]string{"../evil": "x"}, 0o644),
		"absolute": wheelOf(t, map[string]string{"/evil": "x"}, 0o644),
		"scheme":   wheelOf(t, map[string]string{"p-1.data/purelib/../../evil": "x"}, 0o644),
		"link":     wheelOf(t, map[string]string{"p/l": "/etc/passwd"}, fs.ModeSymlink|0o777),
	} {
		t.Run(name, func(t *testing.T) {
			_, to := rootFor(t)
			if err := installWheel(context.Background(), w, to); err == nil {
				t.Error("it was installed without an error")
			}
		})
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"usr/share/man", "usr/share/man", true},
		{"usr/share/man", "usr/share/man/man1/x", true},
		{"usr/share/man", "usr/share/manual", false},
		{"**/tests", "a/b/tests/c.py", true},
		{"**/tests", "tests", true},
		{"**/tests", "a/contests/c.py", false},
		{"**/*.pyx", "a/b/c.pyx", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b/z", true},
		{"a/**/b", "x/a/b", false},
		{"a/*/c", "a/b/c", true},
		{"a/*/c", "a/c", false},
	} {
		g, err := parseGlobs([]string{c.pattern})
		must(t, err)
		if got := g.match(c.path); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
	for _, bad := range []string{"", "/usr", "a[", "a/[x"} {
		if _, err := parseGlobs([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestRelativeTo(t *testing.T) {
	for _, c := range [][3]string{
		{"etc", "usr/share/zoneinfo/Etc/UTC", "../usr/share/zoneinfo/Etc/UTC"},
		{"usr/lib", "usr/lib/x", "x"},
		{"usr/lib/a", "usr/lib/b/x", "../b/x"},
		{".", "usr/x", "usr/x"},
	} {
		if got := relativeTo(c[0], c[1]); got != c[2] {
			t.Errorf("from %s to %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
