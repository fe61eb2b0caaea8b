package keep_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/keep"
)

func TestM40_HostileNamesAreNames(t *testing.T) {
	p := open(t, keep.Options{})
	for _, name := range []string{
		" ", "...", "..x", "-rf", "a\nb", "\xff\xfe", "\x01", "f1", "t", "p2", "*", "%s", "\u202egnp", strings.Repeat("n", 255),
	} {
		p.put(t, name, "of "+name)
	}
	before := describe(t, p.work)
	p.take(t, "a\x00/../b") // an id is no name
	must(t, os.RemoveAll(p.at("a\nb")))
	for name := range before {
		_ = os.Remove(p.at(name))
	}
	p.restore(t, "a\x00/../b")
	if after := describe(t, p.work); !same(before, after) {
		t.Errorf("restored %v, want %v", after, before)
	}
}

// Links lead nowhere: they are kept as links, and what they point at is neither
// read nor written.
func TestM40_LinksAreNotFollowed(t *testing.T) {
	p := open(t, keep.Options{})
	outside := filepath.Join(p.root, "outside")
	must(t, os.Mkdir(outside, 0o755))
	must(t, os.Chown(outside, owner, owner))
	secret := filepath.Join(outside, "secret")
	must(t, os.WriteFile(secret, []byte("secret"), 0o600))
	must(t, os.Chown(secret, owner, owner))
	for name, to := range map[string]string{"file": "../outside/secret", "dir": "../outside", "self": "self", "proc": "/proc/self/root"} {
		must(t, os.Symlink(to, p.at(name)))
	}
	p.put(t, "f", "plain")
	taken := p.take(t, "a")
	if taken.Files != 1 || taken.CopiedBytes != int64(os.Getpagesize()) {
		t.Errorf("taken: %+v", taken)
	}
	before := describe(t, p.work)
	must(t, os.Remove(p.at("f")))
	must(t, os.Symlink("../outside/secret", p.at("f"))) // what is written back must not follow it
	must(t, os.Remove(p.at("dir")))
	must(t, os.Mkdir(p.at("dir"), 0o755))
	must(t, os.Symlink("../../outside", p.at("dir/out")))
	p.own(t)
	p.restore(t, "a")
	if after := describe(t, p.work); !same(before, after) {
		t.Errorf("restored %v, want %v", after, before)
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("outside: %q, %v", got, err)
	}
}

// Somebody who swaps directories for links all the time, under a walk that
// should have no program beside it, harms his own tree and nothing else.
func TestM40_SwappedLinksLeadNowhere(t *testing.T) {
	p := open(t, keep.Options{})
	outside := filepath.Join(p.root, "outside")
	must(t, os.MkdirAll(outside+"/deep", 0o755))
	for _, name := range []string{"f", "deep/g"} {
		must(t, os.WriteFile(filepath.Join(outside, name), []byte("outside"), 0o666))
	}
	p.put(t, "d/f", "in")
	p.put(t, "d/deep/g", "in")
	p.take(t, "whole")
	before := describe(t, outside)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for n := range 2 {
		wg.Go(func() {
			link := p.at(fmt.Sprint("link", n))
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = os.Symlink("../outside", link)
				_ = unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, p.at("d"), unix.RENAME_EXCHANGE)
				_ = os.WriteFile(p.at("d")+"x", nil, 0o644)
			}
		})
	}
	taken := 0
	for n := range 300 {
		if got, err := p.Take(fmt.Sprint(n), keep.Mapped{}); err == nil && got.Complete {
			taken++
		}
		_, _ = p.Restore("whole")
		_ = p.Drop(fmt.Sprint(n))
	}
	close(stop)
	wg.Wait()
	if taken == 0 {
		t.Error("not one checkpoint was taken, so this shows little")
	}
	if after := describe(t, outside); !same(before, after) {
		t.Errorf("outside is %v, was %v", after, before)
	}
	p.own(t)
	p.restore(t, "whole")
	if p.get(t, "d/f") != "in" || p.get(t, "d/deep/g") != "in" {
		t.Errorf("when it is quiet: %v", describe(t, p.work))
	}
}

// A tree that is deeper than any path can say is removed, and is no checkpoint.
func TestM40_ADeepTreeIsTakenApart(t *testing.T) {
	p := open(t, keep.Options{})
	p.put(t, "f", "right")
	before := describe(t, p.work)
	p.take(t, "a")
	at, err := unix.Open(p.work, unix.O_DIRECTORY, 0)
	must(t, err)
	for range 3000 {
		must(t, unix.Mkdirat(at, "a-long-name-of-a-directory", 0o755))
		must(t, unix.Fchownat(at, "a-long-name-of-a-directory", owner, owner, 0))
		next, err := unix.Openat(at, "a-long-name-of-a-directory", unix.O_DIRECTORY, 0)
		must(t, err)
		must(t, unix.Close(at))
		at = next
	}
	must(t, unix.Close(at))
	taken, err := p.Take("deep", keep.Mapped{})
	if err != nil || taken.Complete || taken.Reason == nil {
		t.Errorf("take of a deep tree: %+v, %v", taken, err)
	}
	if _, err := p.Restore("deep"); !errors.Is(err, keep.ErrStripped) {
		t.Errorf("restore of it: %v", err)
	}
	p.restore(t, "a")
	if after := describe(t, p.work); !same(before, after) {
		t.Errorf("restored %d names", len(after))
	}
}

func TestM40_AShutTreeIsKeptShut(t *testing.T) {
	p := open(t, keep.Options{})
	p.put(t, "d/e/f", "right")
	for _, name := range []string{"d/e/f", "d/e", "d", "."} {
		must(t, os.Chmod(p.at(name), 0))
	}
	before := describe(t, p.work)
	p.take(t, "a")
	if now := describe(t, p.work); !same(before, now) {
		t.Errorf("taking it changed %v to %v", before, now)
	}
	must(t, os.WriteFile(p.at("d/e/f"), []byte("wrong"), 0o644))
	must(t, os.Rename(p.at("d"), p.at("x")))
	p.restore(t, "a")
	if after := describe(t, p.work); !same(before, after) {
		t.Errorf("restored %v, want %v", after, before)
	}
}
