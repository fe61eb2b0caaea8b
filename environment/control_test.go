package environment

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestControlFile(t *testing.T) {
	got, err := parseControl(strings.NewReader("Package: a\nDescription: one\n two\n .\n\n\nPackage: b\nSize:  5 \n"))
	must(t, err)
	want := []stanza{{"Package": "a", "Description": "one\ntwo\n."}, {"Package": "b", "Size": "5"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, text := range map[string]string{
		"continues nothing": " x\n", "after an empty line": "A: b\n\n x\n", "no colon": "Package\n", "no name": ": x\n",
		"endless line": "A: " + strings.Repeat("x", maxControlLine+1),
	} {
		if _, err := parseControl(strings.NewReader(text)); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestIndexGivesLockedPackages(t *testing.T) {
	one := stanza{"Package": "libc6", "Version": "2.41", "Size": "5", "SHA256": hexSum, "Filename": "pool/libc6.deb"}
	debs, err := debsNamed([]stanza{one}, []string{"libc6"})
	must(t, err)
	if want := (Deb{"libc6", "2.41", hexSum, 5, "pool/libc6.deb"}); debs[0] != want {
		t.Errorf("got %+v, want %+v", debs[0], want)
	}
	if _, err := debsNamed([]stanza{one}, []string{"libc6", "zlib1g"}); err == nil {
		t.Error("a package that the index lacks was found")
	}
	for field, bad := range map[string]string{"Size": "x", "SHA256": "", "Filename": "../x.deb", "Version": "a b"} {
		broken := stanza{}
		for k, v := range one {
			broken[k] = v
		}
		broken[field] = bad
		if _, err := debsNamed([]stanza{broken}, []string{"libc6"}); err == nil {
			t.Errorf("%s %q was accepted", field, bad)
		}
	}
}

func FuzzControl(f *testing.F) {
	f.Add("Package: a\nDescription: one\n two\n\nPackage: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		stanzas, err := parseControl(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, s := range stanzas {
			if len(s) == 0 {
				t.Error("an empty stanza was read")
			}
		}
		_, _ = debsNamed(stanzas, []string{"a"})
	})
}

func TestDebianMirrorsAreFoundAmongTheHostsSources(t *testing.T) {
	index := func(base, release, component string) string {
		return "'" + base + "/dists/" + release + "/" + component + "/binary-amd64/Packages.xz' some_name 0 \n"
	}
	for name, c := range map[string]struct{ uris, want string }{
		"debian": {
			"'http://m.test/debian/dists/bookworm/InRelease' x 0 \n" + index("http://m.test/debian", "bookworm", "main") +
				index("http://m.test/debian", "bookworm-updates", "main") + index("http://m.test/debian-security", "bookworm-security", "main"),
			"http://m.test/debian/",
		},
		"once each, in order": {
			index("http://b.test/d", "trixie", "main") + index("http://a.test/d", "sid", "main") + index("http://b.test/d/", "stable", "main"),
			"http://b.test/d/ http://a.test/d/",
		},
		"list of mirrors": {index("mirror+file:/etc/apt/mirrors/debian.list", "trixie", "main"), "mirror+file:/etc/apt/mirrors/debian.list/"},
		"ubuntu":          {index("http://u.test/ubuntu", "noble", "main") + index("http://u.test/ubuntu", "noble-security", "main"), ""},
		"vendors":         {index("https://v.test/apt", "bookworm", "stable") + index("https://n.test", "nodistro", "main"), ""},
		"contrib only":    {index("http://m.test/debian", "trixie", "contrib"), ""},
		"nonsense":        {"\n''\n'/dists/'\nReading package lists...\n", ""},
		"nothing":         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(debianMirrors(c.uris), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReportBecomesALock(t *testing.T) {
	item := func(name, url, sum string) string {
		return `{"metadata":{"name":"` + name + `","version":"1"},"download_info":{"url":"` + url + `","archive_info":{"hashes":{"sha256":"` + sum + `"}}}}`
	}
	reqs, err := parseReport([]byte(`{"install":[`+item("Et_XmlFile", "x/e.whl", hexSum)+`,`+item("jedi", "x/j.whl", hexSum)+`]}`), []string{"jedi"})
	must(t, err)
	if want := []Requirement{{"et-xmlfile", "1", hexSum}}; !reflect.DeepEqual(reqs, want) {
		t.Errorf("got %+v, want %+v", reqs, want)
	}
	for name, raw := range map[string]string{
		"source": `{"install":[` + item("a", "x/a.tar.gz", hexSum) + `]}`,
		"unsure": `{"install":[` + item("a", "x/a.whl", "") + `]}`,
		"broken": `{`,
	} {
		if _, err := parseReport([]byte(raw), nil); err == nil {
			t.Errorf("%s: it became a lock", name)
		}
	}
}

func TestClientErrorsKeepTheReason(t *testing.T) {
	err := command{Path: "/bin/sh", Args: []string{"-c", "echo W: noise >&2; echo E: 404 Not Found >&2; exit 3"}}.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "E: 404 Not Found") || strings.Contains(err.Error(), "noise") {
		t.Errorf("error is %v, want the reason without the noise", err)
	}
	if !said(err, "404") || said(errors.New("404"), "404") {
		t.Error("said does not tell a client's words from others")
	}
	if cellwall.CodeOf(err) != cellwall.CodeInternal {
		t.Errorf("code is %s", cellwall.CodeOf(err))
	}
}
