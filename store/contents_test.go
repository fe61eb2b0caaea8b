package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cellwall/cellwall"
)

var ann = cellwall.Identity{Tenant: "tnt_a", Key: "key_1", Subject: "ann"}

func put(t *testing.T, s *Store, tenant, text string) cellwall.KeptDataset {
	t.Helper()
	who := ann
	who.Tenant = tenant
	d, err := s.putDataset(t.Context(), who, "a.csv", strings.NewReader(text), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func contentOf(t *testing.T, s *Store, d cellwall.KeptDataset) string {
	t.Helper()
	f, _, err := s.OpenDataset(t.Context(), d.Identity.Tenant, d.ID)
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

func places(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.contents.Each(t.Context(), func(string, time.Time) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func stored(t *testing.T, s *Store, tenant string) int64 {
	t.Helper()
	n, err := s.Stored(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestM49_EqualContentsAreKeptOnceAndRemovedWithTheLastThatUsesThem(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		ctx := t.Context()
		a, b := put(t, s, "tnt_a", "x\n1\n"), put(t, s, "tnt_b", "x\n1\n")
		if a.ID == b.ID || a.SHA256 != b.SHA256 || places(t, s) != 1 || contentOf(t, s, a) != "x\n1\n" {
			t.Fatalf("%+v %+v, %d places", a, b, places(t, s))
		}
		now.pass(2 * time.Hour)
		if err := s.DeleteDataset(ctx, "tnt_a", a.ID); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Collect(ctx); n != 0 || err != nil || contentOf(t, s, b) != "x\n1\n" {
			t.Fatalf("%d removed, %v", n, err)
		}
		if err := s.DeleteDataset(ctx, "tnt_b", b.ID); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Collect(ctx); n != 1 || err != nil || places(t, s) != 0 {
			t.Fatalf("%d removed, %d places, %v", n, places(t, s), err)
		}
		if a, b := stored(t, s, "tnt_a"), stored(t, s, "tnt_b"); a != 0 || b != 0 {
			t.Errorf("%d and %d bytes are counted", a, b)
		}
		wantCode(t, s.DeleteDataset(ctx, "tnt_b", b.ID), cellwall.CodeNotFound)
	})
}

func TestM49_AContentIsHeldUntilItsRowComes(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		ctx := t.Context()
		c, err := s.Put(ctx, strings.NewReader("chart"), 0)
		if err != nil {
			t.Fatal(err)
		}
		now.pass(59 * time.Minute)
		if n, err := s.Collect(ctx); n != 0 || err != nil {
			t.Fatalf("%d removed while it is held, %v", n, err)
		}
		k := done("tnt_a")
		a := cellwall.Artifact{ID: "art_1", Name: "b/c.png", Path: "b/c.png", Type: "image", MediaType: "image/png", Bytes: c.Bytes, SHA256: c.SHA256, Flags: []string{"formulas"}}
		if err := s.KeepExecution(ctx, k, []byte("{}"), []cellwall.Artifact{a}, Answer{}); err != nil {
			t.Fatal(err)
		}
		now.pass(24 * time.Hour)
		if n, err := s.Collect(ctx); n != 0 || err != nil || stored(t, s, "tnt_a") != 5+int64(len(k.Result)) {
			t.Fatalf("%d removed, %v", n, err)
		}
		got, err := s.Artifact(ctx, "tnt_a", "art_1")
		want := cellwall.KeptArtifact{Artifact: a, Tenant: "tnt_a", Execution: k.ID, At: noon}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		f, err := s.OpenArtifact(ctx, got)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if text, err := io.ReadAll(f); string(text) != "chart" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		_, err = s.Artifact(ctx, "tnt_b", "art_1")
		wantCode(t, err, cellwall.CodeNotFound)

		late, err := s.Put(ctx, strings.NewReader("late"), 0)
		if err != nil {
			t.Fatal(err)
		}
		now.pass(2 * time.Hour)
		if n, err := s.Collect(ctx); n != 1 || err != nil {
			t.Fatalf("%d removed, %v", n, err)
		}
		lost := done("tnt_a")
		a.ID, a.SHA256, a.Bytes = "art_2", late.SHA256, late.Bytes
		if err := s.KeepExecution(ctx, lost, []byte("{}"), []cellwall.Artifact{a}, Answer{}); err == nil {
			t.Error("a row refers to what is gone")
		}
		if _, err := s.Execution(ctx, "tnt_a", lost.ID); cellwall.CodeOf(err) != cellwall.CodeNotFound {
			t.Error("half an execution was kept:", err)
		}
	})
}

func TestM49_WhatNoRowKnowsIsSwept(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		keep := put(t, s, "tnt_a", "keep")
		staged, err := s.contents.Stage()
		if err != nil {
			t.Fatal(err)
		}
		defer staged.Close()
		io.WriteString(staged, "orphan")
		if _, err := s.contents.Keep(t.Context(), staged); err != nil {
			t.Fatal(err)
		}
		now.mu.Lock()
		now.now = time.Now()
		now.mu.Unlock()
		if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
			t.Fatalf("%d of what has just come are removed, %v", n, err)
		}
		now.pass(orphanAge + time.Minute)
		if n, err := s.Sweep(t.Context()); n != 1 || err != nil || contentOf(t, s, keep) != "keep" {
			t.Errorf("%d removed, %v", n, err)
		}
	})
}

func TestF21_ADatasetEndsAtItsBoundAndAtItsTenantsRoom(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, _ *clock) {
		ctx := t.Context()
		for name, c := range map[string]struct {
			text       string
			most, room int64
			want       cellwall.ErrorCode
		}{
			"as much as may be":   {"12345", 5, 5, ""},
			"a byte too much":     {"123456", 5, 0, cellwall.CodeTooLarge},
			"more than the room":  {"123456", 0, 5, cellwall.CodeTooLarge},
			"nothing":             {"", 0, 0, cellwall.CodeBadRequest},
			"nothing, no bound":   {"", 5, 5, cellwall.CodeBadRequest},
			"no end, and a bound": {strings.Repeat("x", 1<<20), 1000, 0, cellwall.CodeTooLarge},
		} {
			who := cellwall.Identity{Tenant: cellwall.NewID("tnt")}
			d, err := s.putDataset(ctx, who, "a.csv", strings.NewReader(c.text), c.most, c.room)
			if c.want != "" {
				wantCode(t, err, c.want)
				if n := stored(t, s, who.Tenant); n != 0 {
					t.Errorf("%s: %d bytes are counted", name, n)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if err := s.Describe(ctx, who.Tenant, cellwall.Dataset{ID: d.ID, Name: "evil", Bytes: 9, Rows: 7, Format: "csv"}); err != nil {
				t.Error(err)
			}
			got, err := s.Dataset(ctx, who.Tenant, d.ID)
			d.Rows, d.Format = 7, "csv"
			if err != nil || !reflect.DeepEqual(got, d) {
				t.Errorf("got  %+v\nwant %+v\n%v", got, d, err)
			}
			_, err = s.putDataset(ctx, who, "b.csv", strings.NewReader("1"), 0, c.room)
			wantCode(t, err, cellwall.CodeTooLarge)
			wantCode(t, s.Describe(ctx, "tnt_b", cellwall.Dataset{ID: d.ID}), cellwall.CodeNotFound)
		}
		if _, err := s.putDataset(ctx, ann, "a.csv", iotest.ErrReader(errors.New("broken")), 0, 0); err == nil {
			t.Error("half a file was stored")
		}
	})
}

// Of two pieces at once one is refused before a byte of it is read; its upload, and
// the others, go on.
func TestF21_OnePieceOfAnUploadComesAtATime(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		ctx := t.Context()
		u, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "a.csv", 4, 0)
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "b.csv", 4, 0)
		if err != nil {
			t.Fatal(err)
		}
		meanwhile := readerFunc(func([]byte) (int, error) {
			never := readerFunc(func([]byte) (int, error) { t.Error("it was read"); return 0, io.EOF })
			_, err := s.Continue(ctx, "tnt_a", u.ID, 0, never, 0)
			wantCode(t, err, cellwall.CodeConflict)
			if _, err := s.Continue(ctx, "tnt_a", other.ID, 0, strings.NewReader("3456"), 0); err != nil {
				t.Error(err)
			}
			return 0, io.EOF
		})
		if u, err = s.Continue(ctx, "tnt_a", u.ID, 0, io.MultiReader(strings.NewReader("12"), meanwhile), 0); err != nil || u.Received != 2 {
			t.Fatalf("%+v, %v", u, err)
		}
		if u, err = s.Continue(ctx, "tnt_a", u.ID, 2, strings.NewReader("34"), 0); err != nil || u.Received != 4 {
			t.Errorf("the next one: %+v, %v", u, err)
		}
	})
}

func TestF21_AnUploadGoesOnWhereItBroke(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		ctx := t.Context()
		text := strings.Repeat("0123456789", 1000)
		u, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "a.csv", int64(len(text)), 20_000)
		if err != nil {
			t.Fatal(err)
		}
		broken := io.MultiReader(strings.NewReader(text[:700]), iotest.ErrReader(errors.New("the line broke")))
		u, err = s.Continue(ctx, "tnt_a", u.ID, 0, broken, 20_000)
		if err == nil || u.Received != 700 {
			t.Fatalf("%+v, %v", u, err)
		}
		_, err = s.Continue(ctx, "tnt_a", u.ID, 0, strings.NewReader(text), 0)
		wantCode(t, err, cellwall.CodeConflict)
		_, err = s.FinishUpload(ctx, "tnt_a", u.ID)
		wantCode(t, err, cellwall.CodeConflict)
		_, err = s.Continue(ctx, "tnt_b", u.ID, 700, strings.NewReader("x"), 0)
		wantCode(t, err, cellwall.CodeNotFound)
		gone, cancel := context.WithCancel(ctx)
		r := io.MultiReader(strings.NewReader(text[700:900]), readerFunc(func([]byte) (int, error) { cancel(); return 0, gone.Err() }))
		if u, err = s.Continue(gone, "tnt_a", u.ID, 700, r, 0); err == nil || u.Received != 900 {
			t.Fatalf("%+v, %v", u, err)
		}
		longer, err := s.Continue(ctx, "tnt_a", u.ID, 900, strings.NewReader(text[900:]+"\n"), 0)
		if wantCode(t, err, cellwall.CodeBadRequest); longer.Received != 900 {
			t.Errorf("of a piece that is too long %d bytes stayed", longer.Received-900)
		}
		u, err = s.Continue(ctx, "tnt_a", u.ID, 900, strings.NewReader(text[900:]), 0)
		if err != nil || u.Received != u.Size {
			t.Fatalf("%+v, %v", u, err)
		}
		d, err := s.FinishUpload(ctx, "tnt_a", u.ID)
		if err != nil || contentOf(t, s, d) != text || stored(t, s, "tnt_a") != int64(len(text)) {
			t.Fatalf("%+v, %v, %d stored", d, err, stored(t, s, "tnt_a"))
		}
		if again, err := s.FinishUpload(ctx, "tnt_a", u.ID); err != nil || again.ID != d.ID {
			t.Errorf("%+v, %v", again, err)
		}
		now.pass(2 * time.Hour)
		if n, err := s.Collect(ctx); n != 3 || err != nil || contentOf(t, s, d) != text {
			t.Errorf("%d parts removed, %v", n, err)
		}
		if err := s.AbandonUpload(ctx, "tnt_a", u.ID); err != nil || stored(t, s, "tnt_a") != int64(len(text)) {
			t.Errorf("%v, %d stored", err, stored(t, s, "tnt_a"))
		}
		wantCode(t, s.AbandonUpload(ctx, "tnt_a", u.ID), cellwall.CodeNotFound)
	})
}

func TestF21_AnUploadHasItsTenantsRoomAndIsForgotten(t *testing.T) {
	onContents(t, func(t *testing.T, s *Store, now *clock) {
		ctx := t.Context()
		for _, size := range []int64{0, -1} {
			_, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "a", size, 0)
			wantCode(t, err, cellwall.CodeBadRequest)
		}
		_, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "a", 11, 10)
		wantCode(t, err, cellwall.CodeTooLarge)
		a, err := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "a", 10, 10)
		b, err2 := s.BeginUpload(ctx, ann, cellwall.NewID(cellwall.PrefixUpload), "b", 10, 10)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Continue(ctx, "tnt_a", a.ID, 0, bytes.NewReader(make([]byte, 7)), 10); err != nil {
			t.Fatal(err)
		}
		_, err = s.Continue(ctx, "tnt_a", b.ID, 0, bytes.NewReader(make([]byte, 7)), 10)
		wantCode(t, err, cellwall.CodeTooLarge)
		if n := stored(t, s, "tnt_a"); n != 7 {
			t.Errorf("%d bytes are counted", n)
		}
		now.pass(25 * time.Hour)
		if n, err := s.Retire(ctx, Retention{}); n != 2 || err != nil {
			t.Errorf("%d removed, %v", n, err)
		}
		if n, err := s.Collect(ctx); n != 1 || err != nil || stored(t, s, "tnt_a") != 0 || places(t, s) != 0 {
			t.Errorf("%d removed, %v, %d stored", n, err, stored(t, s, "tnt_a"))
		}
		_, err = s.Upload(ctx, "tnt_a", a.ID)
		wantCode(t, err, cellwall.CodeNotFound)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestStored_ResultsCountAndGiveTheirRoomBack(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		want := func(when string, bytes int64) {
			t.Helper()
			if n, err := s.Stored(ctx, "tnt_a"); err != nil || n != bytes {
				t.Errorf("%s: %d bytes are stored, want %d, %v", when, n, bytes, err)
			}
		}
		old, young, settled := done("tnt_a"), done("tnt_a"), done("tnt_a")
		old.Result, settled.Result = []byte(strings.Repeat("o", 1000)), []byte(strings.Repeat("s", 500))
		young.Result, young.At = []byte(strings.Repeat("y", 30)), noon.Add(time.Hour)
		settled.At = young.At
		keep(t, s, old)
		keep(t, s, young)
		want("two are kept", 1030)
		err := s.KeepExecution(ctx, old, []byte(`{}`), nil, Answer{}) // over already
		wantCode(t, err, cellwall.CodeConflict)
		if err := s.Accept(ctx, settled); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(ctx, settled, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		want("one came to nothing", 1530)
		err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error { return reserveRoom(ctx, t, "tnt_a", 5, 1534) })
		wantCode(t, storeError("keep", err), cellwall.CodeTooLarge)
		past := s.now().Sub(noon) - time.Minute // only what came at noon is older
		for _, keep := range []time.Duration{past + time.Hour, past} {
			want("before they are old", 1530)
			if _, err := s.Retire(ctx, Retention{Results: keep}); err != nil {
				t.Fatal(err)
			}
		}
		want("the old one has gone", 530)
		counting, err := migrations.ReadFile("migrations/00006_results.sql")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{`DELETE FROM stored`, string(counting), string(counting)} { // once with and once without a row
			if err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error { _, err := t.exec(ctx, text); return err }); err != nil {
				t.Fatal(err)
			}
		}
		want("they were kept before they counted, counted twice", 1060)
		if _, err := s.Execution(ctx, "tnt_a", young.ID); err != nil {
			t.Error(err)
		}
	})
}
