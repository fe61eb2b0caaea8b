package backendtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// rawCalls is how a program that goes past the driver calls.
const rawCalls = `import json, os, struct, time
def send(payload, kind='C', short=0):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    data = struct.pack('>IB', len(body) + short, ord(kind)) + body
    while data:
        data = data[os.write(3, data):]
def call(number, name='echo', **arguments):
    send({'id': number, 'name': name, 'arguments': arguments})
`

// host answers the calls of one run, and remembers them.
type host struct {
	mu    sync.Mutex
	calls []cellwall.Call
	ended int // that heard of the run's end
}

func (h *host) answer(ctx context.Context, c cellwall.Call) cellwall.Reply {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	switch c.Name {
	case "echo":
		return cellwall.Reply{Result: c.Arguments}
	case "table":
		return cellwall.Reply{Table: true, Result: json.RawMessage(`{"columns":[{"name":"n","dtype":"int64","values":[1,2,3]}]}`)}
	case "large":
		return cellwall.Reply{Result: json.RawMessage(`"` + strings.Repeat("x", cellwall.MaxReplyBytes-2) + `"`)}
	case "broken":
		return cellwall.Reply{Result: json.RawMessage(`1},{"id":2`)}
	case "never":
		<-ctx.Done()
		h.mu.Lock()
		h.ended++
		h.mu.Unlock()
		return cellwall.Reply{Failure: cellwall.CallEnded}
	}
	return cellwall.Reply{Failure: cellwall.CallFailed, Message: "no, " + c.Name}
}

func (h *host) seen() (calls, ended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.calls), h.ended
}

// takes gives a program the functions of the host.
func (h *host) takes(c cellwall.Code) cellwall.Code {
	for _, name := range []string{"echo", "table", "large", "broken", "never", "refuse"} {
		c.Functions = append(c.Functions, cellwall.Function{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	c.Caller = h.answer
	return c
}

// callRow is a program that calls, and how it must end.
type callRow struct {
	name   string
	code   string
	status cellwall.Status // "" = ok
	cause  cellwall.Cause
	out    string // exact
	calls  int    // that the host must have seen
	ended  int    // of these, that heard of the end
}

// callsThatWork are what code is promised.
func callsThatWork() []callRow {
	return []callRow{
		{name: "AnAnswerComesBack", code: "print(tools.echo(a=1, b='é')['b'], tools.table().n.sum())", out: "é 6\n", calls: 2},
		{name: "AFailureIsAnException", code: "try:\n    tools.refuse()\nexcept tools.ToolError as e:\n    print(type(e).__name__, e)", out: "ToolFailed no, refuse\n", calls: 1},
		{name: "AResultThatIsNoJSONIsAFailure", code: "try:\n    tools.broken()\nexcept tools.ToolError as e:\n    print(e)", out: "the result of broken cannot be passed on: it is not JSON\n", calls: 1},
		{name: "ALargeResultArrives", code: "print(len(tools.large()))", out: fmt.Sprintln(cellwall.MaxReplyBytes - 2), calls: 1},
		{
			name: "ThreadsCallAtOnce", calls: 100, out: "True\n",
			code: "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(20) as p:\n    print([a['n'] for a in p.map(lambda n: tools.echo(n=n), range(100))] == list(range(100)))",
		},
		{name: "TheDeadlineGoesOn", code: "tools.never()", status: cellwall.StatusTimeout, calls: 1, ended: 1},
		{
			name: "TheEndOfTheProgramEndsItsCalls", out: "on\n", calls: 1, ended: 1,
			code: "import threading, time\nthreading.Thread(target=tools.never, daemon=True).start()\ntime.sleep(0.3)\nprint('on')",
		},
		{
			name: "AChildCannotCall", out: "only the process that was given the program can call tools, not its children\n{}\n", calls: 1,
			code: "import os\nif os.fork() == 0:\n    try:\n        tools.echo()\n    except tools.ToolError as e:\n        print(e, flush=True)\n    os._exit(0)\nos.wait()\nprint(tools.echo())",
		},
	}
}

// callsThatAttack go past the driver. Each stands beside one that keeps to the bound, as
// its control: that one gets through to the host.
func callsThatAttack() []callRow {
	broken := func(name, code string, calls int) callRow {
		return callRow{name: name, code: rawCalls + code + "\ntime.sleep(60)", status: cellwall.StatusCrashed, cause: cellwall.CauseProtocol, calls: calls}
	}
	taken := func(name, code string, calls, ended int) callRow {
		return callRow{name: name, code: rawCalls + code + "\ntime.sleep(60)", status: cellwall.StatusTimeout, calls: calls, ended: ended}
	}
	return []callRow{
		taken("Control/OneAfterTheOther", "call(1); call(2)", 2, 0),
		broken("TheSameNumberTwice", "call(1); call(1)", 1),
		broken("ANumberThatSkips", "call(1); call(3)", 1),
		taken("Control/EightAtOnce", "for n in range(1, 9): call(n, 'never')", 8, 8),
		broken("NineAtOnce", "for n in range(1, 10): call(n, 'never')", 8),
		taken("Control/AlmostTooLarge", "call(1, a='x' * 300_000)", 1, 0),
		broken("TooLarge", "call(1, a='x' * 400_000)", 0),
		taken("Control/Deep", "send(b'{\"id\":1,\"name\":\"echo\",\"arguments\":{\"a\":' + b'[' * 60 + b']' * 60 + b'}}')", 1, 0),
		broken("TooDeep", "send(b'{\"id\":1,\"name\":\"echo\",\"arguments\":{\"a\":' + b'[' * 100_000 + b']' * 100_000 + b'}}')", 0),
		broken("AFieldTooMany", "send({'id': 1, 'name': 'echo', 'arguments': {}, 'tenant': 'other'})", 0),
		broken("ArgumentsThatAreNone", "send({'id': 1, 'name': 'echo', 'arguments': [1]})", 0),
		broken("NoJSON", "send(b'{')", 0),
		broken("AReplyOfItsOwn", "send({'id': 1, 'kind': 'json', 'failure': '', 'message': '', 'result': 1}, 'A')", 0),
		broken("AFloodFromAChild", "if os.fork() == 0:\n    for n in range(1, 50): call(n, 'never')\n    os._exit(0)", 8),
		taken("OneThatNeverEnds", "send(b'{\"id\":1,', short=100)", 0, 0),
		taken("AnswersThatNobodyReads", "for n in range(1, 9): call(n, 'large')", 8, 0),
		{
			name: "Control/MoreThanARunMaySay", code: "for n in range(11_000):\n    tools.echo()", calls: 10_000,
			status: cellwall.StatusCrashed, cause: cellwall.CauseProtocol,
		},
		{name: "AfterTheEnd", code: rawCalls + `send(b'{"execution":"' + os.environ['M50'].encode() + b'","ok":true}', 'Z')
for n in range(1, 50): call(n)
time.sleep(60)`, calls: 0},
	}
}

// runCalls holds a backend to what it promises of calls out of a sandbox (M50).
func runCalls(t *testing.T, s Setup) {
	for _, r := range append(callsThatWork(), callsThatAttack()...) {
		if s.WithoutControls && strings.HasPrefix(r.name, "Control/") {
			continue
		}
		t.Run(r.name, func(t *testing.T) { r.run(t, s) })
	}
	t.Run("WithoutFunctionsACallBreaksTheProtocol", func(t *testing.T) {
		end, err := bound(t, s).Run(t.Context(), code(rawCalls+"call(1); time.sleep(60)"), ignore)
		if err != nil || end.Cause != cellwall.CauseProtocol {
			t.Errorf("%+v, %v", end, err)
		}
	})
	t.Run("WhoGoesAwayEndsTheCall", func(t *testing.T) {
		h, ctx := &host{}, t.Context()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		c := h.takes(code("print('on', flush=True)\ntools.never()"))
		end, err := bound(t, s).Run(ctx, c, func(_ context.Context, e cellwall.Event) error {
			if e.Kind == cellwall.EventStdout {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			return nil
		})
		if calls, ended := h.seen(); err != nil || end.Status != cellwall.StatusCancelled || calls != 1 || ended != 1 {
			t.Errorf("%+v, %v: %d calls, %d heard of the end", end, err, calls, ended)
		}
	})
}

func (r callRow) run(t *testing.T, s Setup) {
	h := &host{}
	c := h.takes(code(r.code))
	c.Env = map[string]string{"M50": c.Execution}
	if r.status == cellwall.StatusTimeout {
		c.Timeout = testkit.Scale(time.Second)
	}
	var out strings.Builder
	var raised string
	began := time.Now()
	end, err := bound(t, s).Run(t.Context(), c, func(_ context.Context, e cellwall.Event) error {
		switch e.Kind {
		case cellwall.EventStdout:
			out.Write(e.Data)
		case cellwall.EventError:
			raised = string(e.Data)
		}
		return nil
	})
	if took := time.Since(began); took > testkit.Scale(20*time.Second) {
		t.Errorf("it took %v", took)
	}
	want := r.status
	if want == "" {
		want = cellwall.StatusOK
	}
	if err != nil || end.Status != want || r.cause != "" && end.Cause != r.cause || out.String() != r.out {
		t.Errorf("ended %s %s, %v, printed %q, raised %s; want %s %s", end.Status, end.Cause, err, out.String(), raised, want, r.cause)
	}
	if calls, ended := h.seen(); r.calls >= 0 && (calls != r.calls || ended < r.ended) {
		t.Errorf("the host saw %d calls, %d of them heard of the end; want %d and %d", calls, ended, r.calls, r.ended)
	}
}
