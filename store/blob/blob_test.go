package blob

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

// s3Variable names a bucket that tests may write to. scripts/test.sh starts its
// server.
const s3Variable = "CELLWALL_TEST_S3"

// onEach runs a test on every kind of store.
func onEach(t *testing.T, test func(t *testing.T, s Store)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		d, err := OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		test(t, d)
	})
	t.Run("s3", func(t *testing.T) { test(t, openS3(t, 0)) })
}

// openS3 opens a part of the bucket that nobody else has.
func openS3(t *testing.T, cacheBytes int64) *S3 {
	t.Helper()
	address := os.Getenv(s3Variable)
	if address == "" {
		t.Skipf("skip, proof: no S3 server was started on this host, %s is empty", s3Variable)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenS3(t.Context(), S3Options{
		Bucket: u.Host, Prefix: cellwall.NewID("test"), Endpoint: u.Query().Get("endpoint"), Region: u.Query().Get("region"),
		Insecure: u.Query().Get("tls") == "false", Dir: t.TempDir(), CacheBytes: cacheBytes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func keep(t *testing.T, s Store, text string) string {
	t.Helper()
	staged, err := s.Stage()
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Close()
	if _, err := staged.ReadFrom(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	place, err := s.Keep(t.Context(), staged)
	if err != nil {
		t.Fatal(err)
	}
	return place
}

func read(t *testing.T, s Store, place string) string {
	t.Helper()
	f, err := s.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func places(t *testing.T, s Store) (all []string) {
	t.Helper()
	if err := s.Each(t.Context(), func(place string, at time.Time) error {
		if age := time.Since(at); age < -time.Minute || age > time.Hour {
			t.Errorf("%s is there since %v", place, at)
		}
		all = append(all, place)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestM49_AContentIsAtAPlaceOfItsOwnUntilItIsDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, s Store) {
		long := strings.Repeat("0123456789", 1<<17)
		a, b, c := keep(t, s, "x"), keep(t, s, "x"), keep(t, s, long)
		if a == b || read(t, s, a) != "x" || read(t, s, b) != "x" || read(t, s, c) != long {
			t.Fatal("a content is not what was kept")
		}
		got, want := places(t, s), []string{a, b, c}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("places %v, want %v", got, want)
		}
		for range 2 { // the second time it is gone already
			if err := s.Delete(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Open(t.Context(), a); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Error("it is still there:", err)
		}
		if read(t, s, b) != "x" {
			t.Error("another one's content went with it")
		}
		stop := errors.New("stop")
		if err := s.Each(t.Context(), func(string, time.Time) error { return stop }); !errors.Is(err, stop) {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Each(ended, func(string, time.Time) error { return nil }); err == nil {
			t.Error("a cancelled list went through")
		}
	})
}

func TestP9_APlaceThatIsNoneLeadsNowhere(t *testing.T) {
	onEach(t, func(t *testing.T, s Store) {
		sum := strings.Repeat("a", 64)
		for _, place := range []string{"", "..", "../../etc/passwd", sum, sum + "-", sum + "-../x", strings.ToUpper(sum) + "-abc", sum[2:] + "-abc"} {
			if _, err := s.Open(t.Context(), place); err == nil {
				t.Errorf("%q was opened", place)
			}
			if err := s.Delete(t.Context(), place); err == nil {
				t.Errorf("%q was deleted", place)
			}
		}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStage_whatAKilledProcessLeftIsSweptAndWhatIsWrittenIsNot(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	written, err := d.Stage()
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	left := filepath.Join(dir, dirIncoming, "left")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDisk(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is still there:", err)
	}
	if _, err := d.Keep(t.Context(), written); err != nil {
		t.Error("what was being written was swept:", err)
	}
}

func TestM49_TheCopiesOnThisHostAreBoundedAndLookedAt(t *testing.T) {
	s := openS3(t, 100)
	first, second := keep(t, s, strings.Repeat("a", 60)), keep(t, s, strings.Repeat("b", 60))
	size := func() (bytes int64) {
		entries, err := os.ReadDir(s.cache.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return bytes
	}
	if size() > 100 {
		t.Errorf("%d bytes are kept here", size())
	}
	var all sync.WaitGroup
	for range 8 { // each of them throws the other out
		all.Go(func() {
			if read(t, s, first) != strings.Repeat("a", 60) || read(t, s, second) != strings.Repeat("b", 60) {
				t.Error("a content is another one")
			}
		})
	}
	all.Wait()
	if size() > 100 {
		t.Errorf("%d bytes are kept here", size())
	}
	staged, err := s.Stage()
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Close()
	io.WriteString(staged, "forged")
	forged := newPlace(strings.Repeat("0", 64))
	if _, err := staged.file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if err := s.put(t.Context(), forged, staged); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), forged); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Error("a content with another hash was given out:", err)
	}
}
