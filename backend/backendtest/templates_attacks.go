package backendtest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// books is what the rows on one file have.
var books = abuse.File{Name: "books.csv", Data: []byte("kind,amount,note\n" + strings.Repeat("alpha,1.5,none of it\nbeta,2.5,\n", 40))}

// apart demands that what one execution does to its data is its own affair.
func (c *templates) apart(t *testing.T) {
	sp := c.prepare(t, c.on(t, "contract", books))
	want, _ := c.output(t, sp, fingerprintProgram)
	for name, change := range map[string]string{
		"values":     "df.loc[:, 'amount'] = 0",
		"in place":   "df['amount'].to_numpy(copy=False)[:] if False else None\ndf.drop(columns='note', inplace=True)",
		"the frames": "dfs.clear()\ndel df",
		"the driver": "import _cellwall.inputs as i\ni.prepared.frames.clear()\ni.prepared.first.iloc[:, 1] = -1",
		"pandas":     "pd.DataFrame.equals = None\npd.options.display.max_rows = 1",
	} {
		t.Run(name, func(t *testing.T) {
			c.output(t, sp, change)
			if got, _ := c.output(t, sp, fingerprintProgram); got != want {
				t.Errorf("the next one finds\n%s\nwant\n%s", got, want)
			}
		})
	}
	t.Run("a session", func(t *testing.T) { c.inSession(t, sp, want) })
	t.Run("locks", func(t *testing.T) { c.locks(t, sp) })
}

// inSession demands that a session has df as well, keeps what its cells do to it,
// and is not heard of outside.
func (c *templates) inSession(t *testing.T, sp cellwall.Spec, want string) {
	live := sp
	live.Session = true
	sandbox, err := c.Backend.Open(t.Context(), live)
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.Close()
	n := &notebook{t: t, Interpreter: sandbox.(cellwall.Interpreter)}
	if end, err := n.Begin(t.Context(), code(""), ignore); err != nil || end.Status != cellwall.StatusOK {
		t.Fatalf("begin: %+v, %v", end, err)
	}
	if got := n.cell(fingerprintProgram); got.out != want {
		t.Errorf("a session finds\n%s\nwant\n%s", got.out, want)
	}
	n.cell("df['amount'] *= 2")
	n.cell("import os; os._exit(1)")
	if got := n.cell("print(df.amount.sum())"); got.out != "320.0\n" {
		t.Errorf("behind a death the sum is %q", got.out)
	}
	if got, _ := c.output(t, sp, fingerprintProgram); got != want {
		t.Error("what the session did is seen by a single execution")
	}
}

// locks demands that a lock on an input is seen by nobody else, and, as the
// control, by who holds it.
func (c *templates) locks(t *testing.T, sp cellwall.Spec) {
	const lock = "import fcntl, glob\nmine = open(glob.glob('/workspace/input/*')[0], 'rb')\nfcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
	const control = "try:\n    fcntl.flock(open(mine.name, 'rb'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n    print('free')\nexcept BlockingIOError:\n    print('held')\n"
	sb, err := c.Backend.Open(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	held, ended := make(chan string, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		_, _ = sb.Run(ctx, code(lock+control+"import time, sys; sys.stdout.flush(); time.sleep(60)"), func(_ context.Context, e cellwall.Event) error {
			if e.Kind == cellwall.EventStdout {
				held <- string(e.Data)
			}
			return nil
		})
	}()
	defer func() { cancel(); <-ended }()
	select {
	case got := <-held:
		if got != "held\n" {
			t.Fatalf("a second lock is %q: the first one is none", got)
		}
	case <-ended:
		t.Fatal("the holder ended")
	}
	if got, _ := c.output(t, sp, lock+"print('mine too')"); got != "mine too\n" {
		t.Errorf("another sandbox says %q of a lock that a neighbour holds", got)
	}
}

// attacks demands that hostile code cannot change what the next one finds: the
// files of the template, its memory, its process. Each way is shown at work on
// what the program owns.
func (c *templates) attacks(t *testing.T) {
	sp := c.prepare(t, c.on(t, "contract", books))
	want, _ := c.output(t, sp, fingerprintProgram)
	sb, err := c.Backend.Open(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	var out strings.Builder
	end, err := sb.Run(t.Context(), code(trespassProgram), func(_ context.Context, e cellwall.Event) error {
		if e.Kind == cellwall.EventStdout || e.Kind == cellwall.EventError {
			out.Write(e.Data)
		}
		return nil
	})
	var got struct {
		Changed, Control, Ways, Others, Files []string
		Here                                  bool
	}
	if jsonErr := json.Unmarshal([]byte(out.String()), &got); err != nil || jsonErr != nil {
		t.Fatalf("ended as %+v, %v: %s", end, err, out.String())
	}
	if len(got.Changed) > 0 || len(got.Others) > 0 || len(got.Files) > 0 {
		t.Errorf("changed by %v, reached %v, holds %v", got.Changed, got.Others, got.Files)
	}
	if !slices.Equal(got.Control, got.Ways) || !got.Here {
		t.Errorf("of %v only %v work on a file of one's own; memory changed here: %v", got.Ways, got.Control, got.Here)
	}
	if after, _ := c.output(t, sp, fingerprintProgram); after != want {
		t.Errorf("the next one finds\n%s\nwant\n%s", after, want)
	}
}

// owner demands that a template is its tenant's, and serves what it was made for.
func (c *templates) owner(t *testing.T) {
	sp := c.on(t, "acme", books)
	mine := c.prepare(t, sp)
	other := c.on(t, "globex", books)
	if theirs := c.prepare(t, other); theirs.Template == mine.Template {
		t.Error("two tenants with the same bytes have one template")
	}
	stranger, rows, unknown, environment := mine, mine, mine, mine
	stranger.Identity.Tenant = "globex"
	rows.Limits.Rows = 7
	unknown.Template = cellwall.NewID(cellwall.PrefixTemplate)
	environment.Environment.Digest = "sha256:" + strings.Repeat("0", 64)
	for what, sp := range map[string]cellwall.Spec{
		"another tenant": stranger, "other rows": rows, "no template": unknown, "another build of the environment": environment,
	} {
		sb, err := c.Backend.Open(t.Context(), sp)
		if cellwall.CodeOf(err) != cellwall.CodeNotFound || cellwall.HintOf(err) == "" {
			t.Errorf("%s: %v, want that there is none, and what to do", what, err)
		}
		if sb != nil {
			sb.Close()
		}
	}
	both := mine
	both.Inputs = sp.Inputs
	if sb, err := c.Backend.Open(t.Context(), both); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("a template and inputs: %v, %v", sb, err)
	}
	sb, err := c.Backend.Open(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	if err := sb.Bind(t.Context(), cellwall.Claim{Inputs: sp.Inputs, Limits: mine.Limits}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("bound with inputs: %v", err)
	}
}
