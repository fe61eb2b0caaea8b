package environment

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cellwall/cellwall"
)

const baseToml = `name = "base"
summary = "s"
python = "3.13"
suite = "trixie"
architecture = "amd64"
debs = ["libc6"]
packages = ["numpy"]
warm_up = ["numpy"]
[bound]
unpacked = 5
`

func catalogOf(files map[string]string) Catalog {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Catalog{Builtin: m}
}

var locked = map[string]string{
	"base/environment.toml":   baseToml,
	"base/debs.lock":          "libc6 2.41 " + hexSum + " 5 pool/libc6.deb\n",
	"base/requirements.lock":  "numpy==2.5.5 --hash=sha256:" + hexSum + "\n",
	"child/environment.toml":  "name = \"child\"\nparent = \"base\"\npackages = [\"scipy\"]\nwarm_up = [\"scipy\"]\n",
	"child/debs.lock":         "libc6 2.41 " + hexSum + " 5 pool/libc6.deb\n",
	"child/requirements.lock": "numpy==2.5.5 --hash=sha256:" + hexSum + "\n",
}

func TestM29_ChildAddsToItsParent(t *testing.T) {
	d, err := catalogOf(locked).Load("child")
	must(t, err)
	if want := []string{"numpy", "scipy"}; !reflect.DeepEqual(d.Packages, want) || !reflect.DeepEqual(d.WarmUp, want) {
		t.Errorf("packages %v and warm-up %v, want both %v", d.Packages, d.WarmUp, want)
	}
	if d.Python != "3.13" || d.Suite != "trixie" || len(d.Debs) != 1 {
		t.Errorf("not inherited: %+v", d)
	}
	if d.Bound != (Bound{}) {
		t.Errorf("the bound %v was inherited: a child has its own", d.Bound)
	}
}

func TestM29_LockDigestFollowsEveryFile(t *testing.T) {
	before, err := catalogOf(locked).Load("child")
	must(t, err)
	for _, file := range []string{"base/environment.toml", "child/environment.toml", "child/debs.lock", "child/requirements.lock"} {
		changed := map[string]string{}
		for k, v := range locked {
			changed[k] = v
		}
		changed[file] = "# changed\n" + changed[file]
		after, err := catalogOf(changed).Load("child")
		must(t, err)
		if after.LockDigest() == before.LockDigest() {
			t.Errorf("a change of %s did not change the digest of the locks", file)
		}
	}
}

func TestOverlayWins(t *testing.T) {
	c := catalogOf(locked)
	c.Overlay = fstest.MapFS{"base/requirements.lock": {Data: []byte("numpy==2.6.0 --hash=sha256:" + hexSum + "\n")}}
	d, err := c.Load("base")
	must(t, err)
	if d.PythonLock[0].Version != "2.6.0" {
		t.Errorf("numpy is %s, want that of the overlay", d.PythonLock[0].Version)
	}
}

func TestDeclarationsThatCannotBe(t *testing.T) {
	with := func(file, text string) Catalog {
		m := map[string]string{}
		for k, v := range locked {
			m[k] = v
		}
		m[file] = text
		return catalogOf(m)
	}
	for name, c := range map[string]struct {
		catalog Catalog
		want    string
	}{
		"unknown key":    {with("base/environment.toml", baseToml+"colour = 1\n"), "colour"},
		"other name":     {with("base/environment.toml", strings.Replace(baseToml, `"base"`, `"other"`, 1)), "other"},
		"name of a path": {with("base/environment.toml", strings.Replace(baseToml, `"base"`, `"../base"`, 1)), "lower-case"},
		"no toml":        {with("base/environment.toml", "{"), "parse declaration"},
		"no python":      {with("base/environment.toml", strings.Replace(baseToml, `python = "3.13"`, "", 1)), "python is not set"},
		"own parent":     {with("base/environment.toml", "name = \"base\"\nparent = \"base\"\n"), "cycle"},
		"bad lock":       {with("base/debs.lock", "nonsense"), "debs.lock: line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.catalog.Load("base")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one about %q", err, c.want)
			}
		})
	}
}

func TestUnknownEnvironmentListsTheKnown(t *testing.T) {
	for _, name := range []string{"nope", "../base", "", "Base"} {
		_, err := catalogOf(locked).Load(name)
		if cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing || !strings.Contains(cellwall.HintOf(err), "base, child") {
			t.Errorf("%q: error %v with hint %q, want environment_missing that lists base, child", name, err, cellwall.HintOf(err))
		}
	}
}

func TestM29_BuiltInEnvironmentsAreLockedWhole(t *testing.T) {
	c := Catalog{Builtin: os.DirFS("../environments")}
	names, err := c.Names()
	must(t, err)
	if want := []string{"python-data-basic", "python-ml-lite", "python-query", "python-stats"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("environments are %v, want %v", names, want)
	}
	for _, name := range names {
		d, err := c.Load(name)
		must(t, err)
		have := map[string]string{}
		for _, deb := range d.DebLock {
			have[deb.Name] = deb.Version
		}
		for _, deb := range append([]string{pipDeb}, d.Debs...) {
			if have[deb] == "" {
				t.Errorf("%s: %s does not hold %s", name, debLockFile, deb)
			}
		}
		wheels := map[string]string{}
		for _, r := range d.PythonLock {
			wheels[r.Name] = r.Version
		}
		for _, p := range d.Packages {
			if wheels[normalName(p)] == "" {
				t.Errorf("%s: %s does not hold %s", name, pythonLockFile, p)
			}
		}
		if d.Parent != "" {
			parent, err := c.Load(d.Parent)
			must(t, err)
			for _, r := range parent.PythonLock {
				if wheels[r.Name] != r.Version {
					t.Errorf("%s has %s %q, its parent %q", name, r.Name, wheels[r.Name], r.Version)
				}
			}
		}
		if _, err := parseGlobs(d.Prune); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d.Bound.Packed == 0 || d.Bound.Unpacked == 0 || d.Bound.Packed > 200_000_000 {
			t.Errorf("%s: bound is %+v", name, d.Bound)
		}
	}
}
