package environment

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM29_BuildMakesARootThatVerifies(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	ctx := t.Context()
	if _, err := s.Open("tiny"); cellwall.CodeOf(err) != cellwall.CodeEnvironmentMissing || cellwall.HintOf(err) != "cellwall env build tiny" {
		t.Fatalf("open before the build: %v, hint %q", err, cellwall.HintOf(err))
	}
	b, err := s.Build(ctx, "tiny", m.options())
	must(t, err)
	text, err := os.ReadFile(filepath.Join(b.Root, "usr/share/one"))
	if err != nil || string(text) != "one, version 2\n" {
		t.Errorf("file of a package is %q: %v", text, err)
	}
	for _, dir := range mountPoints {
		if info, err := os.Stat(filepath.Join(b.Root, dir)); err != nil || !info.IsDir() {
			t.Errorf("mount point %s: %v", dir, err)
		}
	}
	must(t, s.Verify(ctx, "tiny"))
	e, err := s.Open("tiny")
	must(t, err)
	if e.Digest != b.Digest || e.Root != b.Root || e.Interpreter != "/usr/bin/python3.13" || e.Bytes == 0 {
		t.Errorf("opened %+v, built %+v", e, b.Environment)
	}
	list, err := s.List()
	must(t, err)
	if len(list) != 1 || list[0].Built == nil || list[0].Stale {
		t.Errorf("list is %+v", list)
	}
	before := m.count("/pool/one_2_amd64.deb")
	again, err := s.Build(ctx, "tiny", m.options())
	must(t, err)
	if again.Digest != b.Digest || m.count("/pool/one_2_amd64.deb") != before {
		t.Error("a current environment was fetched again")
	}
}

func TestM29_TwoStoresAgreeAndACacheNeedsNoNetwork(t *testing.T) {
	m, one := newMirror(t), tinyStore(t, bothDebs(t)...)
	first, err := one.Build(t.Context(), "tiny", m.options())
	must(t, err)
	m.Close()
	two := tinyStore(t, bothDebs(t)...)
	_, err = two.Build(t.Context(), "tiny", Options{Offline: true})
	if !errors.Is(err, errOffline) || !strings.Contains(err.Error(), "one, two") || cellwall.HintOf(err) == "" {
		t.Errorf("offline with an empty cache: %v, hint %q", err, cellwall.HintOf(err))
	}
	if l := left(t, two); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
	two.Cache = one.Cache
	second, err := two.Build(t.Context(), "tiny", Options{Offline: true})
	must(t, err)
	if first.Digest != second.Digest {
		t.Errorf("digests differ: %s and %s", first.Digest, second.Digest)
	}
}

func TestBuildCancelledLeavesNothingAndGoesOnLater(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	release := make(chan struct{})
	m.intercept(func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.Contains(r.URL.Path, "two") && ctx.Err() == nil {
			cancel()
			<-release
		}
		return false
	})
	_, err := s.Build(ctx, "tiny", m.options())
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
	if l := left(t, s); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
	if _, err := s.Build(t.Context(), "tiny", m.options()); err != nil {
		t.Fatal(err)
	}
	if n := m.count("/pool/one_2_amd64.deb"); n != 1 {
		t.Errorf("the package that was complete was fetched %d times", n)
	}
}

func TestBrokenDownloadIsTriedAgain(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	m.intercept(func(w http.ResponseWriter, r *http.Request, hit int) bool {
		if !strings.Contains(r.URL.Path, "one") || hit > 1 {
			return false
		}
		raw, err := os.ReadFile("testdata/mirror" + r.URL.Path)
		if err != nil {
			return false
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		_, _ = w.Write(raw[:len(raw)/2])
		panic(http.ErrAbortHandler)
	})
	if _, err := s.Build(t.Context(), "tiny", m.options()); err != nil {
		t.Fatal(err)
	}
	if n := m.count("/pool/one_2_amd64.deb"); n < 2 {
		t.Errorf("it was asked for %d times: nothing broke", n)
	}
}

func TestM29_BuildGoesThroughTheProxyOfTheHost(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	t.Setenv("no_proxy", "")
	t.Setenv("http_proxy", m.URL)
	opts := m.options()
	opts.Mirror = "http://mirror.invalid" // no name server knows it: only the proxy can serve it
	_, err := s.Build(t.Context(), "tiny", opts)
	must(t, err)
	if n := m.count("/pool/one_2_amd64.deb"); n != 1 {
		t.Errorf("the proxy was asked %d times", n)
	}
}

func TestWrongContentIsRefused(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	m.intercept(func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.Contains(r.URL.Path, "one") {
			_, _ = w.Write(arOf("data.tar", "evil"))
			return true
		}
		return false
	})
	if _, err := s.Build(t.Context(), "tiny", m.options()); err == nil {
		t.Error("a package with another hash was built in")
	}
	if l := left(t, s); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}

func TestDamagedCacheIsFetchedAgain(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	_, err := s.Build(t.Context(), "tiny", m.options())
	must(t, err)
	blobs, err := filepath.Glob(filepath.Join(s.Cache, "blobs", "*"))
	must(t, err)
	must(t, os.WriteFile(blobs[0], []byte("damaged"), 0o644))
	opts := m.options()
	opts.Force = true
	_, err = s.Build(t.Context(), "tiny", opts)
	must(t, err)
	if n := m.count("/pool/one_2_amd64.deb") + m.count("/pool/two_1_amd64.deb"); n != 3 {
		t.Errorf("%d downloads, want 3", n)
	}
}

func TestTwoBuildsAtOnceDoTheWorkOnce(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	m.intercept(func(http.ResponseWriter, *http.Request, int) bool {
		once.Do(func() { close(begun); <-release })
		return false
	})
	first := make(chan error, 1)
	go func() {
		_, err := s.Build(t.Context(), "tiny", m.options())
		first <- err
	}()
	<-begun
	opts := m.options()
	waited := false
	opts.Progress = func(e Event) {
		if e.Step == StepWait {
			waited = true
			close(release)
		}
	}
	_, err := s.Build(t.Context(), "tiny", opts)
	must(t, err)
	must(t, <-first)
	if !waited {
		t.Error("the second build did not say that it waits")
	}
	if n := m.count("/pool/one_2_amd64.deb"); n != 1 {
		t.Errorf("the package was fetched %d times", n)
	}
}

func TestVerifyNamesTheFirstPathThatDiffers(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	b, err := s.Build(t.Context(), "tiny", m.options())
	must(t, err)
	for _, c := range []struct {
		want   string
		change func(root string) error
	}{
		{"usr/share/two was changed", func(r string) error { return os.WriteFile(filepath.Join(r, "usr/share/two"), []byte("x"), 0o644) }},
		{"usr/share/one was changed", func(r string) error { return os.Chmod(filepath.Join(r, "usr/share/one"), 0o4755) }},
		{"usr/evil was added", func(r string) error { return os.Symlink("x", filepath.Join(r, "usr/evil")) }},
		{"tmp is missing", func(r string) error { return os.Remove(filepath.Join(r, "tmp")) }},
		{"bin was changed", func(r string) error {
			return errors.Join(os.Remove(filepath.Join(r, "bin")), os.Symlink("tmp", filepath.Join(r, "bin")))
		}},
	} {
		must(t, c.change(b.Root))
		err := s.Verify(t.Context(), "tiny")
		if cellwall.CodeOf(err) != cellwall.CodeConflict || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want conflict with %q", err, c.want)
		}
	}
	opts := m.options()
	opts.Force = true
	_, err = s.Build(t.Context(), "tiny", opts)
	must(t, err)
	must(t, s.Verify(t.Context(), "tiny"))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(b.Root), "manifest"), nil, 0o644))
	if err := s.Verify(t.Context(), "tiny"); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("an emptied manifest: %v", err)
	}
}

func TestBuildSweepsWhatAKilledOneLeft(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	stale := filepath.Join(s.Dir, "build", "tiny.123", "root")
	other := filepath.Join(s.Dir, "build", "tiny-two.123")
	must(t, os.MkdirAll(stale, 0o755))
	must(t, os.MkdirAll(other, 0o755))
	_, err := s.Build(t.Context(), "tiny", m.options())
	must(t, err)
	if _, err := os.Stat(filepath.Dir(stale)); err == nil {
		t.Error("the stale build is still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("another environment's build was removed")
	}
}

func TestRootBeyondItsBoundIsRefused(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	s.Catalog.Overlay = mapFS("tiny/environment.toml", tinyToml+"[bound]\nunpacked = 20\n")
	_, err := s.Build(t.Context(), "tiny", m.options())
	if cellwall.CodeOf(err) != cellwall.CodeTooLarge || cellwall.HintOf(err) == "" {
		t.Errorf("error is %v, want too_large with a hint", err)
	}
	if l := left(t, s); len(l) != 0 {
		t.Errorf("left behind: %v", l)
	}
}

func TestPruneKeepsWhatIsNamedOrInUse(t *testing.T) {
	m, s := newMirror(t), tinyStore(t, bothDebs(t)...)
	old, err := s.Build(t.Context(), "tiny", m.options())
	must(t, err)
	s.Catalog.Overlay = mapFS("tiny/environment.toml", tinyToml+"prune = [\"usr/share/two\"]\n")
	list, err := s.List()
	must(t, err)
	if !list[0].Stale {
		t.Error("a changed declaration does not make the environment stale")
	}
	now, err := s.Build(t.Context(), "tiny", m.options())
	must(t, err)
	if now.Digest == old.Digest {
		t.Fatal("pruning a file did not change the digest")
	}
	gone, err := s.Prune(t.Context(), func(d string) bool { return d == old.Digest })
	if err != nil || len(gone) != 0 {
		t.Errorf("while in use: removed %v: %v", gone, err)
	}
	gone, err = s.Prune(t.Context(), func(string) bool { return false })
	if err != nil || len(gone) != 1 || gone[0] != old.Digest {
		t.Errorf("removed %v, want %s: %v", gone, old.Digest, err)
	}
	must(t, s.Verify(t.Context(), "tiny"))
}
