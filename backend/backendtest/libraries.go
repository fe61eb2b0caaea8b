package backendtest

import (
	"context"
	"embed"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// libraries holds the corpus: programs that use what analyses use.
//
//go:embed programs/corpus_*.py
var libraries embed.FS

// The limits of a program of the corpus: it does the work of dozens.
const (
	corpusTime   = 100 * time.Second
	corpusMemory = 2 * cellwall.GiB
)

// harmless are refused calls that ordinary code may make, and why its
// behaviour does not change with them.
var harmless = map[string]string{
	"socket(AF_INET)": "uuid1 looks for the address of a network card, and takes a random number instead",
	"sync":            "os.sync says nothing about how it went, and memory needs no disk",
}

// Libraries runs one program of the library corpus (data, stats, learning)
// behind the wall of s, whose environment must hold what the program imports.
func Libraries(t *testing.T, s Setup, name string) {
	t.Helper()
	source, err := libraries.ReadFile("programs/corpus_" + name + ".py")
	if err != nil {
		t.Fatal(err)
	}
	Features(t, s, string(source))
}

// Features runs a program that raises when a feature does not work, and says
// "ok" after each that does. No call may be refused but the harmless ones.
func Features(t *testing.T, s Setup, source string) {
	t.Helper()
	limits := cellwall.DefaultLimits()
	limits.Timeout, limits.MemoryBytes = testkit.Scale(corpusTime), corpusMemory
	wanted := spec(s)
	wanted.Limits = limits
	sb, err := s.Backend.Open(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	if err := sb.Bind(t.Context(), cellwall.Claim{Limits: limits}); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	program := cellwall.Code{Execution: cellwall.NewID(cellwall.PrefixExecution), Source: source, Timeout: limits.Timeout}
	end, err := sb.Run(t.Context(), program, func(_ context.Context, e cellwall.Event) error {
		if slices.Contains([]cellwall.EventKind{cellwall.EventStdout, cellwall.EventStderr, cellwall.EventError}, e.Kind) {
			said.Write(e.Data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if end.Status != cellwall.StatusOK || end.Cause != cellwall.CauseNone {
		t.Errorf("ended as %s (%s) after %.0f ms:\n%s", end.Status, end.Cause, end.Usage.WallMS, said.String())
	}
	for _, r := range end.Refused {
		if why, ok := harmless[r.Call]; ok {
			t.Logf("refused %s × %d: %s", r.Call, r.Count, why)
			continue
		}
		t.Errorf("refused: %s × %d", r.Call, r.Count)
	}
	t.Logf("%s\n%d features in %.0f ms, %d MiB and %d processes at most, %d calls refused",
		said.String(), strings.Count(said.String(), " ok\n"), end.Usage.WallMS, end.Usage.MemoryPeakBytes>>20, end.Usage.ProcessesPeak, len(end.Refused))
}
