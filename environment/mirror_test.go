package environment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// mirror is a Debian mirror of two tiny packages on this machine.
type mirror struct {
	*httptest.Server
	mu     sync.Mutex
	hits   map[string]int
	before func(w http.ResponseWriter, r *http.Request, hit int) (done bool)
}

// requireApt skips where the host has no apt, and proves it.
func requireApt(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(aptHelper); err != nil {
		release, _ := os.ReadFile("/etc/os-release")
		if strings.Contains(string(release), "ID=debian") || strings.Contains(string(release), "ID=ubuntu") {
			t.Fatalf("%v, and this is a host that has apt:\n%s", err, release)
		}
		t.Skipf("skip, proof: %v; this host is\n%s", err, release)
	}
	if runtime.GOARCH != "amd64" {
		t.Skipf("skip, proof: the test mirror has packages for amd64 only, this program was built for %s", runtime.GOARCH)
	}
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	requireApt(t)
	t.Setenv("no_proxy", "127.0.0.1")
	m := &mirror{hits: map[string]int{}}
	files := http.FileServer(http.Dir("testdata/mirror"))
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.hits[r.URL.Path]++
		hit, before := m.hits[r.URL.Path], m.before
		m.mu.Unlock()
		if before == nil || !before(w, r, hit) {
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// intercept lets f see each request first, with how often its path was asked
// for, and answer it.
func (m *mirror) intercept(f func(w http.ResponseWriter, r *http.Request, hit int) (done bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = f
}

func (m *mirror) count(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hits[path]
}

func (m *mirror) options() Options {
	return Options{Mirror: m.URL, Keyring: must1(filepath.Abs("testdata/mirror/keyring.asc"))}
}

func must1(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

const tinyToml = `name = "tiny"
summary = "two files"
python = "3.13"
suite = "testing"
architecture = "amd64"
debs = ["one", "two"]
`

// tinyStore is an empty store that declares "tiny", whose lock is deb lines.
func tinyStore(t *testing.T, debs ...string) *Store {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "state"), fstest.MapFS{
		"tiny/environment.toml":  {Data: []byte(tinyToml)},
		"tiny/debs.lock":         {Data: []byte(strings.Join(debs, "\n"))},
		"tiny/requirements.lock": {Data: nil},
	})
	return s
}

// debLine locks a package of the test mirror.
func debLine(t *testing.T, name, version string) string {
	t.Helper()
	file := fmt.Sprintf("pool/%s_%s_amd64.deb", name, version)
	raw, err := os.ReadFile(filepath.Join("testdata/mirror", file))
	must(t, err)
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("%s %s %s %d %s", name, version, hex.EncodeToString(sum[:]), len(raw), file)
}

func bothDebs(t *testing.T) []string {
	return []string{debLine(t, "one", "2"), debLine(t, "two", "1")}
}

// left lists what a build must not leave behind.
func left(t *testing.T, s *Store) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"build/*", "*.json", ".*.json.*", "roots/*"} {
		f, err := filepath.Glob(filepath.Join(s.Dir, pattern))
		must(t, err)
		found = append(found, f...)
	}
	return found
}
