package store

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cellwall/cellwall"
)

// TestM49_TheCollectionNeverRemovesWhatIsReferenced plays every order of putting,
// keeping, deleting, waiting and collecting, and looks after each step whether
// all that has a row is there whole; at the end, whether nothing else is.
func TestM49_TheCollectionNeverRemovesWhatIsReferenced(t *testing.T) {
	now := &clock{now: noon}
	s := openAt(t, Default(t.TempDir()), Options{Contents: onDisk(t), Now: now.Now})
	rapid.Check(t, func(t *rapid.T) {
		m := &collecting{s: s, now: now, datasets: map[string]string{}, artifacts: map[string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"put":     m.put,
			"run":     m.run,
			"upload":  m.upload,
			"delete":  m.delete,
			"wait":    func(t *rapid.T) { now.pass(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute) },
			"collect": m.collect,
			"":        m.look,
		})
		m.end(t)
	})
}

// collecting is what must be there.
type collecting struct {
	s                   *Store
	now                 *clock
	datasets, artifacts map[string]string // id → content
}

var tenants = []string{"tnt_a", "tnt_b"}

func (m *collecting) text(t *rapid.T) string {
	return strings.Repeat(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "content"), 3)
}

func (m *collecting) put(t *rapid.T) {
	text := m.text(t)
	d, err := m.s.putDataset(t.Context(), cellwall.Identity{Tenant: "tnt_a"}, "x.csv", strings.NewReader(text), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.datasets[d.ID] = text
}

// run keeps an artifact, sometimes so late that its content is gone: then it
// must be refused.
func (m *collecting) run(t *rapid.T) {
	text := m.text(t)
	c, err := m.s.Put(t.Context(), strings.NewReader(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	late := rapid.IntRange(0, 4).Draw(t, "late") == 0
	if late {
		m.now.pass(2 * time.Hour)
		m.collect(t)
	}
	k := done("tnt_a")
	k.At = m.now.Now()
	a := cellwall.Artifact{ID: cellwall.NewID("art"), Name: "x", Bytes: c.Bytes, SHA256: c.SHA256}
	err = m.s.KeepExecution(t.Context(), k, []byte("{}"), []cellwall.Artifact{a}, Answer{})
	if err != nil && !late {
		t.Fatal(err)
	}
	if err == nil {
		m.artifacts[a.ID] = text
	}
}

// upload leaves half an upload, or makes a dataset of two parts.
func (m *collecting) upload(t *rapid.T) {
	text := m.text(t)
	u, err := m.s.BeginUpload(t.Context(), cellwall.Identity{Tenant: "tnt_a"}, cellwall.NewID(cellwall.PrefixUpload), "u", int64(len(text)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []int{1, len(text)} {
		if u, err = m.s.Continue(t.Context(), "tnt_a", u.ID, u.Received, strings.NewReader(text[u.Received:end]), 0); err != nil {
			t.Fatal(err)
		}
		m.now.pass(2 * time.Hour)
		m.collect(t)
	}
	if rapid.Bool().Draw(t, "abandon") {
		if err := m.s.AbandonUpload(t.Context(), "tnt_a", u.ID); err != nil {
			t.Fatal(err)
		}
		return
	}
	d, err := m.s.FinishUpload(t.Context(), "tnt_a", u.ID)
	if err != nil {
		t.Fatal(err)
	}
	m.datasets[d.ID] = text
}

func (m *collecting) delete(t *rapid.T) {
	for id := range m.datasets {
		if err := m.s.DeleteDataset(t.Context(), "tnt_a", id); err != nil {
			t.Fatal(err)
		}
		delete(m.datasets, id)
		return
	}
}

func (m *collecting) collect(t *rapid.T) {
	if _, err := m.s.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// look reads everything that has a row.
func (m *collecting) look(t *rapid.T) {
	for id, want := range m.datasets {
		f, _, err := m.s.OpenDataset(t.Context(), "tnt_a", id)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, want)
	}
	for id, want := range m.artifacts {
		a, err := m.s.Artifact(t.Context(), "tnt_a", id)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.s.OpenArtifact(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, want)
	}
}

func same(t *rapid.T, f io.ReadCloser, want string) {
	defer f.Close()
	if got, err := io.ReadAll(f); string(got) != want || err != nil {
		t.Fatalf("%q, %v, want %q", got, err, want)
	}
}

// end deletes every row and finds the store empty.
func (m *collecting) end(t *rapid.T) {
	for len(m.datasets) > 0 {
		m.delete(t)
	}
	m.now.pass(48 * time.Hour)
	if _, err := m.s.Retire(t.Context(), Retention{Executions: time.Hour}); err != nil {
		t.Fatal(err)
	}
	m.collect(t)
	left := 0
	if err := m.s.contents.Each(t.Context(), func(string, time.Time) error { left++; return nil }); err != nil {
		t.Fatal(err)
	}
	if n, err := m.s.Stored(t.Context(), "tnt_a"); n != 0 || left != 0 || err != nil {
		t.Fatalf("%d contents and %d counted bytes are left, %v", left, n, err)
	}
}

// TestM49_TheCollectionMayRunWhileContentsComeAndGo has them at the same time,
// with contents that are held for no longer than a step takes.
func TestM49_TheCollectionMayRunWhileContentsComeAndGo(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		s.holdFor = 20 * time.Millisecond
		stop := make(chan struct{})
		var collector, writers sync.WaitGroup
		collector.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				now.pass(time.Millisecond)
				if _, err := s.Collect(t.Context()); err != nil && !strings.Contains(err.Error(), "foreign key") {
					t.Error(err) // PostgreSQL refuses a step that somebody has just made wrong
				}
			}
		})
		kept, refused := 0, 0
		var mu sync.Mutex
		for w := range 4 {
			writers.Go(func() {
				for i := range 40 {
					text := fmt.Sprint("content ", rand.IntN(3))
					d, err := s.putDataset(t.Context(), cellwall.Identity{Tenant: tenants[w%2]}, "x", strings.NewReader(text), 0, 0)
					mu.Lock()
					if err != nil {
						refused++ // it was held too shortly, and nobody was told that it is there
					} else {
						kept++
					}
					mu.Unlock()
					if err != nil {
						continue
					}
					if got := contentOf(t, s, d); got != text {
						t.Errorf("%q, want %q", got, text)
					}
					if i%3 != 0 {
						if err := s.DeleteDataset(t.Context(), d.Identity.Tenant, d.ID); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		writers.Wait()
		close(stop)
		collector.Wait()
		if kept == 0 {
			t.Errorf("nothing was kept, %d were refused", refused)
		}
		readAll(t, s)
	})
}

// readAll opens whatever has a row.
func readAll(t *testing.T, s *Store) {
	t.Helper()
	for _, tenant := range tenants {
		list, _, err := s.Datasets(t.Context(), tenant, cellwall.Page{Limit: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			contentOf(t, s, d)
		}
	}
}
