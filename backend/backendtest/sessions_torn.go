package backendtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// slowly has the driver answer questions by two halves with a pause between them, and
// take its time before it reads the next.
const slowly = `import sys, time, json, struct
channel = sys.modules['_cellwall.channel'].Channel
plain = channel.send
def send(self, kind, payload, fds=()):
    if kind != 'J': return plain(self, kind, payload, fds)
    body = json.dumps(payload).encode()
    frame = struct.pack('>IB', len(body), ord(kind)) + body
    self._sock.sendall(frame[:9])
    time.sleep(1.2)
    self._sock.sendall(frame[9:])
channel.send = send
x = 41`

// runTorn gives questions up in the middle, and demands that nothing else hears of
// it.
func runTorn(t *testing.T, s Setup) {
	for _, tt := range []struct {
		name  string
		texts []string // of questions that are given up, one after the other
	}{
		{"OneThatIsHalfAnswered", []string{""}},
		{"ManyThatAreHalfAnswered", []string{"", "", ""}},
		{"OneThatIsHalfWritten", []string{"", strings.Repeat("x", 4*cellwall.MaxCodeBytes)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := begin(t, s, cellwall.Limits{})
			n.says(slowly, "")
			for _, text := range tt.texts {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				_, err := n.Ask(ctx, cellwall.Question{Kind: cellwall.AskFinished, Text: text})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("ask: %v, want that its time was over", err)
				}
				cancel()
			}
			n.says("print(x + 1)", "42")
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Scale(30*time.Second))
			defer cancel()
			if a, err := n.Ask(ctx, cellwall.Question{Kind: cellwall.AskVariables}); err != nil || len(a.Variables) == 0 {
				t.Errorf("the next question: %+v, %v", a, err)
			}
			n.died(n.cell("import os; os._exit(3)"), "crashed exit:3")
			n.says("print(x + 1)", "42")
		})
	}
}
