package native_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/testkit"
)

// TestD97_TheStackIsNotThatOfTheShell starts a backend as a shell with a small
// stack would: what is compiled inside does not die of it.
func TestD97_TheStackIsNotThatOfTheShell(t *testing.T) {
	testkit.RequireRoot(t)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &was); err != nil {
		t.Fatal(err)
	}
	small := syscall.Rlimit{Cur: 256 << 10, Max: was.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_STACK, &small); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_STACK, &was); err != nil {
			t.Error(err)
		}
	})
	s := backendtest.Rooms(t, open(t), basic(t), 1)
	for name, code := range map[string]string{
		"minus":  "x = " + strings.Repeat("-", 2_900) + "1",
		"lambda": "x = " + strings.Repeat("lambda:", 5_000) + "1",
		"dots":   "if 0: x" + strings.Repeat(".b", 30_000),
	} {
		r, err := s.Execute(t.Context(), cellwall.Request{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != cellwall.StatusOK && r.Status != cellwall.StatusError {
			t.Errorf("%s ended as %s (%s)", name, r.Status, r.Cause)
		}
	}
}
