package mcp

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
)

// untilCancelled is a toolbox whose programs run until they are cancelled.
func untilCancelled(began chan struct{}) *scripted {
	return &scripted{state: ready(), run: func(ctx context.Context, tool string, _ []byte) (Outcome, error) {
		if tool != "run_python" {
			return Outcome{Text: `{"ok":true}`, OK: true}, nil
		}
		began <- struct{}{}
		<-ctx.Done()
		return Outcome{}, ctx.Err()
	}}
}

// One call runs, another waits for its turn; both are cancelled, and what comes then is
// answered.
func TestM44_WhoCancelsOverLinesGetsNoAnswer(t *testing.T) {
	began := make(chan struct{}, 1)
	s := New(Options{Toolbox: untilCancelled(began)})
	defer s.Close()
	in, to := io.Pipe()
	from, out := io.Pipe()
	served, answers := make(chan error, 1), make(chan string, 16)
	go func() {
		served <- s.Serve(context.Background(), &Lines{In: in, Out: out})
		out.Close()
	}()
	go func() {
		defer close(answers)
		for lines := bufio.NewScanner(from); lines.Scan(); {
			answers <- lines.Text()
		}
	}()
	say := func(lines ...string) {
		if _, err := io.WriteString(to, strings.Join(lines, "\n")+"\n"); err != nil {
			t.Error(err)
		}
	}
	call := func(id, tool string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
	}
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	}
	say(hello+call("2", "run_python"), call(`"three"`, "run_python"))
	soon(t, "a call begins", began)
	say(cancel("77"), cancel("[]"), cancel("99"), cancel(`"three"`), cancel("2"), call("4", "query_data"), ping)
	all := ""
	for line := range answers {
		if all += line + "\n"; strings.Contains(all, `"id":4,`) && strings.Contains(all, `"id":99,`) {
			to.Close()
		}
	}
	if err := <-served; err != nil || strings.Contains(all, `"id":2,`) || strings.Contains(all, `"id":"three"`) {
		t.Errorf("%v, answered %s", err, all)
	}
}

// The SDK ends the stream of a request by an answer, which says what it is.
func TestM44_WhoCancelsOverHTTPIsToldThatItWasCancelled(t *testing.T) {
	began := make(chan struct{}, 1)
	m := serveMany(t, func() *scripted { return untilCancelled(began) }, nil)
	id := m.begin(t, "")
	told := make(chan string, 1)
	go func() {
		_, _, text := m.ask(t, context.Background(), "POST", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run_python"}}`, headerSession, id)
		told <- text
	}()
	soon(t, "a call begins", began)
	m.ask(t, t.Context(), "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`, headerSession, id)
	if text := <-told; !strings.Contains(text, `"code":-32800`) {
		t.Errorf("told %s", text)
	}
}
