package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

// days writes three days of five records each, and returns the directory.
func days(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	l := open(t, dir)
	for d := range 3 {
		for i := range 5 {
			n := 5*d + i + 1
			if err := l.Append(noon.AddDate(0, 0, d), entry{V: 1, ID: fmt.Sprint("exec_", n), Code: "print(1)"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func verify(t *testing.T, dir string, opts audit.VerifyOptions) audit.Report {
	t.Helper()
	r, err := audit.Verify(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// edit changes the lines of a day's file.
func edit(t *testing.T, dir, day string, change func([][]byte) [][]byte) {
	t.Helper()
	path := filepath.Join(dir, day+".jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(bytes.SplitAfter(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n")))
	for n := range lines {
		if !bytes.HasSuffix(lines[n], []byte("\n")) && !bytes.HasSuffix(lines[n], []byte("torn")) {
			lines[n] = append(slices.Clone(lines[n]), '\n')
		}
	}
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

const second = "2026-03-02"

func TestM35_VerifyFindsNothingWhereNothingWasTouched(t *testing.T) {
	dir := days(t)
	r := verify(t, dir, audit.VerifyOptions{})
	if !r.OK() || len(r.Findings) != 0 || r.Records != 15 || !strings.HasPrefix(r.Head, "15:") {
		t.Errorf("got %+v", r)
	}
	if again := verify(t, dir, audit.VerifyOptions{Expect: r.Head}); !again.OK() {
		t.Errorf("with the head that was noted: %+v", again)
	}
}

func TestM35_VerifyNamesWhatWasDone(t *testing.T) {
	line := func(lines [][]byte, n int) []byte { return slices.Clone(lines[n-1]) }
	swap := func(old, new string) func([][]byte) [][]byte {
		return func(lines [][]byte) [][]byte {
			lines[2] = bytes.Replace(line(lines, 3), []byte(old), []byte(new), 1)
			return lines
		}
	}
	for name, c := range map[string]struct {
		day    string
		change func([][]byte) [][]byte
		want   audit.Finding // without Why
	}{
		"an entry is changed":            {second, swap("print(1)", "print(2)"), audit.Finding{Kind: audit.Changed, Day: second, Line: 3, Seq: 8, ID: "exec_8"}},
		"a hash is changed":              {second, swap(`"hash":"`, `"hash":"0`), audit.Finding{Kind: audit.Changed, Day: second, Line: 3, ID: "exec_8"}},
		"an entry is no JSON any more":   {second, swap("{", "("), audit.Finding{Kind: audit.Changed, Day: second, Line: 3, Seq: 8}},
		"a line loses its link":          {second, func(l [][]byte) [][]byte { l[2] = []byte("{\"id\":\"exec_8\"}\n"); return l }, audit.Finding{Kind: audit.Changed, Day: second, Line: 3, ID: "exec_8"}},
		"an entry is missing":            {second, func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }, audit.Finding{Kind: audit.Missing, Day: second, Line: 3, Seq: 8}},
		"a day begins too late":          {second, func(l [][]byte) [][]byte { return l[2:] }, audit.Finding{Kind: audit.Missing, Day: second, Line: 1, Seq: 6, To: 7}},
		"the first entry is missing":     {"2026-03-01", func(l [][]byte) [][]byte { return l[1:] }, audit.Finding{Kind: audit.Missing, Day: "2026-03-01", Line: 1, Seq: 1}},
		"the last entries are missing":   {"2026-03-03", func(l [][]byte) [][]byte { return l[:3] }, audit.Finding{Kind: audit.Missing, Day: "2026-03-03", Line: 3, Seq: 14, To: 15}},
		"the last entry is torn":         {"2026-03-03", func(l [][]byte) [][]byte { l[4] = []byte(`{"seq":15,"prev":"torn`); return l }, audit.Finding{Kind: audit.Changed, Day: "2026-03-03", Line: 5, Seq: 15}},
		"two change places":              {second, func(l [][]byte) [][]byte { l[2], l[3] = line(l, 4), line(l, 3); return l }, audit.Finding{Kind: audit.Reordered, Day: second, Line: 4, Seq: 8, ID: "exec_8"}},
		"one moves to the end":           {second, func(l [][]byte) [][]byte { return append(slices.Delete(slices.Clone(l), 1, 2), line(l, 2)) }, audit.Finding{Kind: audit.Reordered, Day: second, Line: 5, Seq: 7, ID: "exec_7"}},
		"one is there twice":             {second, func(l [][]byte) [][]byte { return slices.Insert(l, 3, line(l, 3)) }, audit.Finding{Kind: audit.Reordered, Day: second, Line: 4, Seq: 8, ID: "exec_8"}},
		"the first of a day is replaced": {second, func(l [][]byte) [][]byte { l[0] = line(l, 2); return l }, audit.Finding{Kind: audit.Missing, Day: second, Line: 1, Seq: 6}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := days(t)
			edit(t, dir, c.day, c.change)
			r := verify(t, dir, audit.VerifyOptions{})
			found := slices.ContainsFunc(r.Findings, func(f audit.Finding) bool {
				if c.want.Seq == 0 {
					f.Seq = 0
				}
				f.Why = ""
				return f == c.want
			})
			if !found || r.OK() || len(r.Findings) > 2 {
				t.Errorf("got %+v, want one finding: %+v", r.Findings, c.want)
			}
		})
	}
}

func TestM35_VerifyFindsAFileThatIsGoneAndTheHeadOfItself(t *testing.T) {
	dir := days(t)
	noted := verify(t, dir, audit.VerifyOptions{}).Head
	if err := os.Remove(filepath.Join(dir, "2026-03-03.jsonl")); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, audit.VerifyOptions{}); r.OK() || r.Findings[0].Seq != 11 || r.Findings[0].To != 15 {
		t.Errorf("the last file: %+v", r.Findings)
	}
	if err := os.Remove(filepath.Join(dir, "head")); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, audit.VerifyOptions{}); r.OK() {
		t.Error("without its head a log is as it should be")
	}
	l := open(t, dir) // goes on behind what is there, and hides nothing from who noted the head
	if err := l.Append(noon.AddDate(0, 0, 5), entry{V: 1, ID: "exec_x"}); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, audit.VerifyOptions{}); !r.OK() || !strings.HasPrefix(r.Head, "11:") {
		t.Errorf("after it went on: %+v", r)
	}
	if r := verify(t, dir, audit.VerifyOptions{Expect: noted}); r.OK() {
		t.Error("the head that was noted is not missed")
	}
}

func TestM35_ATornLineIsToldAndNoDamage(t *testing.T) {
	dir := days(t)
	edit(t, dir, "2026-03-03", func(l [][]byte) [][]byte { return append(l, []byte(`{"seq":16,"prev":"torn`)) })
	if r := verify(t, dir, audit.VerifyOptions{}); !r.OK() || len(r.Findings) != 1 || r.Findings[0].Kind != audit.Torn || r.Findings[0].Line != 6 {
		t.Errorf("at the end: %+v", r)
	}
	l := open(t, dir)
	if err := l.Append(noon.AddDate(0, 0, 2), entry{V: 1, ID: "exec_16"}); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, audit.VerifyOptions{}); !r.OK() || len(r.Findings) != 1 || r.Findings[0].Kind != audit.Torn || r.Records != 16 {
		t.Errorf("before another: %+v", r)
	}
}

func TestAppend_goes_on_behind_lines_of_a_version_without_a_chain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "2026-03-01.jsonl"), []byte("{\"v\":1,\"id\":\"old\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Append(noon, entry{V: 1, ID: "new"}); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, audit.VerifyOptions{}); !r.OK() || r.Unchained != 1 || r.Records != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestM35_RecordsAreLetGoAfterTheirTimeAndTheChainStillHolds(t *testing.T) {
	dir := days(t)
	key, err := audit.OpenKey(filepath.Join(t.TempDir(), "keys", "receipt"))
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, dir)
	if _, err := l.Prune(noon, 29*24*time.Hour, key); err == nil {
		t.Error("records of 30 days can be let go")
	}
	now := noon.AddDate(0, 0, 31) // the 1st of April: the first day is over 30 days old
	gone, err := l.Prune(now, audit.MinKeep, key)
	if err != nil || !slices.Equal(gone, []string{"2026-03-01"}) {
		t.Fatalf("%v went, %v", gone, err)
	}
	opts := audit.VerifyOptions{Key: key.Public()}
	if r := verify(t, dir, opts); !r.OK() || r.Records != 10 || r.Dropped != 5 {
		t.Errorf("got %+v", r)
	}
	if gone, err := l.Prune(now.AddDate(1, 0, 0), audit.MinKeep, key); err != nil || len(gone) != 1 {
		t.Errorf("a year later %v went, %v: the file that is written to stays", gone, err)
	}
	anchor := filepath.Join(dir, "anchor.json")
	raw, err := os.ReadFile(anchor)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(anchor, bytes.Replace(raw, []byte(`"seq":10`), []byte(`"seq":11`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir, opts); r.OK() {
		t.Errorf("an anchor that somebody moved: %+v", r)
	}
}

func FuzzVerify(f *testing.F) {
	dir := f.TempDir()
	l, err := audit.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	for i := range 3 {
		if err := l.Append(noon, entry{V: 1, ID: fmt.Sprint("exec_", i)}); err != nil {
			f.Fatal(err)
		}
	}
	l.Close()
	good, err := os.ReadFile(filepath.Join(dir, "2026-03-01.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(dir, "head"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, head)
	f.Add(good[:len(good)/2], head)
	f.Add([]byte("{}\n{\"seq\":18446744073709551615,\"prev\":\""), []byte("{}"))
	f.Fuzz(func(t *testing.T, raw, at []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "2026-03-01.jsonl"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "head"), at, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := audit.Verify(dir, audit.VerifyOptions{})
		if err != nil {
			t.Fatalf("a damaged log is a finding, not an error: %v", err)
		}
		if r.OK() && r.Records >= 3 && !bytes.Contains(raw, good) && bytes.Equal(at, head) {
			t.Errorf("another log than was written passes: %q", raw)
		}
	})
}
