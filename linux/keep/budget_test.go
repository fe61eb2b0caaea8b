package keep_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/keep"
)

func TestM40_TheOldestLoseTheirFilesFirst(t *testing.T) {
	p := open(t, keep.Options{Budget: 4 * mib})
	stripped := []string{}
	for n := range 6 {
		p.put(t, "f", string(bytes.Repeat([]byte{byte('a' + n)}, 1*mib)))
		taken := p.take(t, fmt.Sprint(n))
		if !taken.Complete || len(taken.Over) > 0 {
			t.Errorf("checkpoint %d: %+v", n, taken)
		}
		stripped = append(stripped, taken.Stripped...)
		if used := p.Used(); used > 4*mib {
			t.Errorf("%d bytes are kept", used)
		}
	}
	if !slices.Equal(stripped, []string{"0", "1"}) {
		t.Errorf("stripped: %q", stripped)
	}
	if _, err := p.Restore("1"); !errors.Is(err, keep.ErrStripped) {
		t.Errorf("restore of a stripped one: %v", err)
	}
	if got := p.get(t, "f"); got[0] != 'f' {
		t.Errorf("that changed the file to %q", got[0])
	}
	p.restore(t, "2")
	if got := p.get(t, "f"); got[0] != 'c' || len(got) != mib {
		t.Errorf("the oldest that is whole has %q", got[0])
	}
}

func TestM40_WhoNamesAnOrderSaysWhoLosesFilesFirst(t *testing.T) {
	order := []string{"2", "not there", "0"}
	p := open(t, keep.Options{Budget: 4 * mib, Order: func() []string { return order }})
	var stripped []string
	for n := range 7 {
		p.put(t, "f", string(bytes.Repeat([]byte{byte('a' + n)}, 1*mib)))
		stripped = append(stripped, p.take(t, fmt.Sprint(n)).Stripped...)
	}
	if !slices.Equal(stripped, []string{"2", "0", "1"}) {
		t.Errorf("stripped: %q", stripped)
	}
}

// What is deleted while a checkpoint has it counts too.
func TestM40_DeletedFilesCountAgainstTheBudget(t *testing.T) {
	p := open(t, keep.Options{Budget: 4 * mib})
	for n := range 8 {
		name := fmt.Sprint("f", n)
		p.put(t, name, string(bytes.Repeat([]byte("x"), 1*mib)))
		p.take(t, fmt.Sprint(n))
		must(t, os.Remove(p.at(name)))
	}
	p.take(t, "last")
	if used := p.Used(); used > 4*mib || used == 0 {
		t.Errorf("%d bytes are kept", used)
	}
	if over, err := p.Over(); over || err != nil {
		t.Errorf("an empty workspace is over its limit: %v, %v", over, err)
	}
}

// A file for which there is no room is named, the others come back, and it is
// right itself as long as nobody touched it.
func TestM40_AFileOverTheBudgetIsNamed(t *testing.T) {
	p := open(t, keep.Options{Budget: 1 * mib})
	large := string(bytes.Repeat([]byte("x"), 2*mib))
	p.put(t, "large", large)
	p.put(t, "small", "right")
	if taken := p.take(t, "a"); !taken.Complete || !slices.Equal(taken.Over, []string{"large"}) {
		t.Errorf("taken: %+v", taken)
	}
	p.put(t, "small", "wrong")
	if r := p.restore(t, "a"); len(r.Missing) > 0 || p.get(t, "small") != "right" || p.get(t, "large") != large {
		t.Errorf("restored: %+v", r)
	}
	p.put(t, "small", "wrong")
	p.put(t, "large", "torn")
	if r := p.restore(t, "a"); !slices.Equal(r.Missing, []string{"large"}) || p.get(t, "small") != "right" {
		t.Errorf("restored: %+v", r)
	}
	if got := p.get(t, "large"); got != "torn" {
		t.Errorf("what cannot be brought back was changed: %d bytes", len(got))
	}
}

func TestM40_UnchangedFilesAreCopiedOnce(t *testing.T) {
	p := open(t, keep.Options{})
	for n := range 100 {
		p.put(t, fmt.Sprint("f", n), fmt.Sprint("content ", n))
	}
	page := int64(os.Getpagesize())
	if taken := p.take(t, "a"); taken.CopiedBytes != 100*page || taken.Files != 100 {
		t.Errorf("first: %+v", taken)
	}
	for n := range 100 {
		p.get(t, fmt.Sprint("f", n)) // reading is no change
	}
	must(t, os.Rename(p.at("f3"), p.at("g3"))) // nor is another name
	must(t, os.Chmod(p.at("f4"), 0o600))
	p.put(t, "f7", "new")
	if taken := p.take(t, "b"); taken.CopiedBytes != page {
		t.Errorf("second: %+v", taken)
	}
	if p.Used() != 101*page {
		t.Errorf("%d bytes are kept", p.Used())
	}
	must(t, p.Drop("a"))
	if p.Used() != 100*page {
		t.Errorf("%d bytes are kept without the first", p.Used())
	}
	must(t, p.Drop("b"))
	if p.Used() != 0 || p.hidden(t) != 1 {
		t.Errorf("%d bytes and %d names are kept without both", p.Used(), p.hidden(t))
	}
}

// hidden counts what the hidden directory has; its trash is one.
func (p place) hidden(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir(p.root + "/keep")
	must(t, err)
	return len(names)
}

// A hole costs nothing, however large it says it is.
func TestM40_HolesStayHoles(t *testing.T) {
	p := open(t, keep.Options{Budget: 1 * mib})
	f, err := os.Create(p.at("sparse"))
	must(t, err)
	defer f.Close()
	for n := range int64(20) {
		_, err = f.WriteAt([]byte("island"), n<<32+5)
		must(t, err)
	}
	must(t, f.Truncate(1<<40))
	p.own(t)
	st := func() (st unix.Stat_t) {
		must(t, unix.Stat(p.at("sparse"), &st))
		return st
	}
	before := st()
	if taken := p.take(t, "a"); len(taken.Over) > 0 || taken.CopiedBytes > 20*int64(os.Getpagesize()) {
		t.Errorf("taken: %+v", taken)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte("sea"), 1000), 1<<32+8192)
	must(t, err)
	must(t, f.Truncate(3<<32))
	p.restore(t, "a")
	if after := st(); after.Size != before.Size || after.Blocks != before.Blocks {
		t.Errorf("%d bytes in %d blocks, were %d in %d", after.Size, after.Blocks, before.Size, before.Blocks)
	}
	got := make([]byte, 6)
	for n := range int64(20) {
		if _, err := f.ReadAt(got, n<<32+5); err != nil || string(got) != "island" {
			t.Errorf("island %d: %q, %v", n, got, err)
		}
	}
}

func TestM16_TheWorkspaceHasItsOwnLimit(t *testing.T) {
	p := open(t, keep.Options{Budget: 24 * mib})
	over := func() bool {
		over, err := p.Over()
		must(t, err)
		return over
	}
	fill := func(n int) string { return string(bytes.Repeat([]byte("x"), n)) }
	p.put(t, "f", fill(8*mib))
	p.take(t, "a")
	if over() {
		t.Error("8 MiB are over 32")
	}
	must(t, os.Remove(p.at("f")))
	p.put(t, "g", fill(20*mib))
	if over() {
		t.Error("what was deleted counts because it is kept")
	}
	p.put(t, "h", fill(13*mib))
	if !over() {
		t.Error("33 MiB are not over 32")
	}
	must(t, os.Remove(p.at("h")))
	if over() {
		t.Error("20 MiB are over 32 again")
	}
	for n := range 8_100 {
		must(t, os.WriteFile(p.at(fmt.Sprint("n", n)), nil, 0o644))
	}
	if !over() {
		t.Error("8,101 files are not over 8,000")
	}
}
