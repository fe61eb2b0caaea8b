package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/pool"
	"github.com/cellwall/cellwall/queue"
	"github.com/cellwall/cellwall/session"
)

// oneAtATime lets one execution run at a time, and has others wait.
type oneAtATime struct{ queue *queue.Queue }

func (oneAtATime) Narrow(*cellwall.Request) error { return nil }

func (a oneAtATime) Enter(ctx context.Context, _ cellwall.Request) (controller.Turn, *cellwall.Stop, error) {
	turn, err := a.queue.Enter(ctx, "local", 0)
	return controller.Turn{Leave: func(*cellwall.Result) { turn.Leave() }}, nil, err
}

// queryHouse is a house with room for so many sandboxes, in which one execution runs at
// a time, and a file of 20,000 rows.
func queryHouse(t *testing.T, most int) (h *house, state string, run func(code string) (*cellwall.Result, error)) {
	t.Helper()
	state = t.TempDir()
	linkEnvironments(t, state)
	h, err := newProgram().openHouse(&config{StateDir: state}, houseOptions{
		backend: defaultBackend, environment: defaultEnvironment,
		tune: func(o *controller.Options, _ *session.Options, p *pool.SetOptions) {
			p.Most, o.Admission = most, oneAtATime{queue.New(queue.Options{Servers: 1, Waiting: 8, Acceptable: time.Minute})}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := h.environments.Open(sqlEnvironment); err != nil {
		t.Skipf("SQL is not set up, proof: %v", err)
	}
	file := filepath.Join(t.TempDir(), "sales.csv")
	var rows strings.Builder
	rows.WriteString("region,revenue,day\n")
	for i := range 20_000 {
		fmt.Fprintf(&rows, "%c,%d,2024-01-%02d\n", "NSEW"[i%4], i, 1+i%28)
	}
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	functions, err := h.insideFunctions([]string{"query"}, sqlEnvironment, "en")
	if err != nil {
		t.Fatal(err)
	}
	return h, state, func(code string) (*cellwall.Result, error) {
		inputs, undo, err := openInputs([]string{file}, cellwall.Limits{})
		if err != nil {
			return nil, err
		}
		defer undo()
		return h.controller.Run(t.Context(), cellwall.Request{
			Code: code, Datasets: inputs, Functions: functions, Limits: cellwall.Limits{Timeout: 30 * time.Second},
		})
	}
}

func TestM50_AProgramAsksEveryRowInSQL(t *testing.T) {
	_, state, run := queryHouse(t, 0)
	refused := `"select revenu from df", "select * from read_csv('/etc/passwd')"`
	if testkit.Long() {
		refused += `, "delete from df", "select 1; select 2", "install httpfs", "copy df to '/tmp/x.csv'", "select * from 'sales.csv'",
			"select * from range(200000)", "set threads = 8"`
	}
	r, err := run(`t = tools.query("select region, sum(revenue) as total, max(day) as last from df group by 1 order by 1")
print(len(df), t.total.sum(), [str(d) for d in t.dtypes], t["last"].max())
for sql in (` + refused + `):
    try:
        tools.query(sql)
        print("ran", sql)
    except tools.ToolError as e:
        print(type(e).__name__, str(e)[:60].replace("\n", " "))`)
	if err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	lines := strings.Split(strings.TrimSpace(r.Stdout.Text), "\n")
	if lines[0] != "10000 199990000.0 ['str', 'float64', 'str'] 2024-01-28" {
		t.Errorf("the answer is %s", lines[0])
	}
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "ToolFailed ") {
			t.Errorf("%s", line)
		}
	}
	asked := len(lines)
	if calls, parents := recordedCalls(t, state, r.ID); calls != asked || parents != asked {
		t.Errorf("the records tell of %d calls, and of %d executions that were called for", calls, parents)
	}
}

// recordedCalls counts the calls in the records of a state directory, and the executions
// that id called for.
func recordedCalls(t *testing.T, state, id string) (calls, parents int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "records", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = audit.Read(f, func(line []byte) error {
			var e controller.Entry
			err := json.Unmarshal(line, &e)
			calls += len(e.Calls)
			if e.Parent == id && strings.Contains(e.Code, "query_rows") && strings.HasPrefix(e.Environment, sqlEnvironment) {
				parents++
			}
			return err
		})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return calls, parents
}

// A query takes a second sandbox. One turn is all there is, and whoever asks has it: it
// must not wait for another, nor be kept waiting by those who stand in the queue.
func TestM50_AQueryTakesNoTurnAndAFullHouseSaysSo(t *testing.T) {
	if !testkit.Long() { // in the fast tier: TestM50_AProgramOfOursTakesNoTurnAndIsNotChecked of the controller
		t.Skipf("left to the long tier, proof: %s is not set", testkit.LongVariable)
	}
	const code = "print(tools.query('select count(*) as n from df').n[0])"
	t.Run("WhoHasTheOnlyTurnIsAnswered", func(t *testing.T) {
		_, _, run := queryHouse(t, 0)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if r, err := run(code); err != nil || r.Stdout.Text != "20000\n" {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
		all.Wait()
	})
	t.Run("WhereThereIsRoomForOneSandboxItIsToldAtOnce", func(t *testing.T) {
		_, _, run := queryHouse(t, 1)
		began := time.Now()
		r, err := run(code)
		if err != nil || r.Error == nil || r.Error.Type != "ToolBusy" || time.Since(began) > 20*time.Second {
			t.Errorf("%+v after %v, %v", r.Error, time.Since(began), err)
		}
	})
	t.Run("ThreadsAskOneAfterTheOther", func(t *testing.T) {
		_, _, run := queryHouse(t, 2)
		r, err := run("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as p:\n" +
			"    print(sorted(p.map(lambda n: int(tools.query(f'select {n} as n').n[0]), range(8))))")
		if err != nil || r.Stdout.Text != "[0, 1, 2, 3, 4, 5, 6, 7]\n" {
			t.Errorf("%q, %+v, %v", r.Stdout.Text, r.Error, err)
		}
	})
}
