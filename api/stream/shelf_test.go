package stream

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM42_AnothersStreamIsNotThere(t *testing.T) {
	s := NewShelf(Options{})
	defer s.Close()
	b, _ := s.Open("a", "exec_1")
	if got, err := s.Find("a", "exec_1"); got != b || err != nil {
		t.Fatal(err)
	}
	_, others := s.Find("b", "exec_1")
	_, nobodys := s.Find("b", "exec_2")
	if cellwall.CodeOf(others) != cellwall.CodeNotFound || others.Error() != nobodys.Error() || cellwall.HintOf(others) != cellwall.HintOf(nobodys) {
		t.Errorf("another's: %v, nobody's: %v", others, nobodys)
	}
}

func TestM52_AStreamIsKeptBeyondItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShelf(Options{Keep: 5 * time.Minute})
		defer s.Close()
		b, end := s.Open("a", "exec_1")
		time.Sleep(time.Hour)
		_ = b.Done(&cellwall.Result{})
		end()
		time.Sleep(4 * time.Minute)
		if _, err := s.Find("a", "exec_1"); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Minute)
		if _, err := s.Find("a", "exec_1"); cellwall.CodeOf(err) != cellwall.CodeNotFound || s.bytes != 0 {
			t.Errorf("%v, %d bytes", err, s.bytes)
		}
	})
}

func TestM52_AllStreamsTogetherAreBounded(t *testing.T) {
	s := NewShelf(Options{Each: 1000, Together: 10_000})
	defer s.Close()
	live, _ := s.Open("a", "exec_live")
	tell(t, live, out("x"))
	for i := range 100 {
		b, end := s.Open("a", cellwall.NewID(cellwall.PrefixExecution))
		tell(t, b, out(strings.Repeat("x", 900)))
		end()
		if s.bytes > 10_000 {
			t.Fatalf("%d bytes after %d", s.bytes, i)
		}
	}
	if len(s.kept) < 8 || len(s.kept) != len(s.ended)+1 {
		t.Errorf("%d are kept", len(s.kept))
	}
	if _, err := s.Find("a", "exec_live"); err != nil {
		t.Errorf("the one that runs: %v", err)
	}
}

func TestShelf_ATenantsStreamsPushOutItsOwn(t *testing.T) {
	s := NewShelf(Options{Each: 1000, Together: 10_000})
	defer s.Close()
	fill := func(tenant, id string, n int) {
		b, end := s.Open(tenant, id)
		b.End([]byte(`"`+strings.Repeat("x", n)+`"`), nil)
		end()
	}
	fill("quiet", "exec_quiet", 900)
	for i := range 100 {
		fill("loud", cellwall.NewID(cellwall.PrefixExecution), 900)
		if s.bytes > 10_000 || s.bytes != s.of["loud"]+s.of["quiet"] {
			t.Fatalf("%d bytes after %d, %v", s.bytes, i, s.of)
		}
	}
	if _, err := s.Find("quiet", "exec_quiet"); err != nil {
		t.Errorf("another tenant's stream went: %v", err)
	}
	fill("loud", "exec_large", 20_000) // a Result alone is more than all may have
	if _, err := s.Find("quiet", "exec_quiet"); err != nil || s.bytes > 10_000 {
		t.Errorf("%d bytes; another tenant's stream: %v", s.bytes, err)
	}
}
