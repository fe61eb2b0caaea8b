package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// tracer notes the stages, each below the one whose context it got.
type tracer struct{ lines []string }

type tracedKey struct{}

func (tr *tracer) stage(ctx context.Context, name string) (context.Context, func(error)) {
	above, _ := ctx.Value(tracedKey{}).(string)
	path := strings.TrimPrefix(above+"/"+name, "/")
	i := len(tr.lines)
	tr.lines = append(tr.lines, path+" …")
	return context.WithValue(ctx, tracedKey{}, path), func(err error) {
		if !strings.HasSuffix(tr.lines[i], " …") {
			tr.lines[i] += " ended twice"
			return
		}
		tr.lines[i] = path
		if err != nil {
			tr.lines[i] += fmt.Sprintf(" failed (%v)", cellwall.CodeOf(err))
		}
	}
}

// turnAway is an Admission that lets nobody in.
type turnAway struct{}

func (turnAway) Narrow(*cellwall.Request) error { return nil }

func (turnAway) Enter(context.Context, cellwall.Request) (Turn, *cellwall.Stop, error) {
	return Turn{}, nil, &cellwall.Error{Code: cellwall.CodeBusy, Op: "wait for a turn", Err: errors.New("the line is full")}
}

func TestTrace_hears_of_each_stage_in_order_and_of_its_end(t *testing.T) {
	gone := ok()
	gone.runErr = cellwall.ErrSandboxGone
	for name, c := range map[string]struct {
		house *house
		code  string
		admit Admission
		want  string
	}{
		"all":         {&house{next: ok()}, "1", nil, "admit enter check context claim run end harvest observe record destroy"},
		"refused":     {&house{next: ok()}, "\x00", nil, "admit enter check observe record"},
		"malformed":   {&house{next: ok()}, "", nil, "admit!bad_request !bad_request"},
		"turned away": {&house{next: ok()}, "1", turnAway{}, "admit enter!busy record !busy"},
		"our fault":   {&house{next: ok(), claimErr: errors.New("no memory")}, "1", nil, "admit enter check context claim!internal record !internal"},
		"run twice":   {&house{next: gone, then: ok()}, "1", nil, "admit enter check context claim run!internal destroy claim run end harvest observe record destroy"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := &tracer{}
			ctl := c.house.controller(t)
			ctl.opts.Trace, ctl.opts.Admission = tr.stage, c.admit
			_, _ = ctl.Run(context.Background(), cellwall.Request{Code: c.code}) // what it answers is other tests'
			want := []string{"execution"}
			for _, stage := range strings.Fields(c.want) {
				stage, code, failed := strings.Cut(stage, "!")
				switch {
				case stage == "":
					want[0] += " failed (" + code + ")"
				case failed:
					want = append(want, "execution/"+stage+" failed ("+code+")")
				default:
					want = append(want, "execution/"+stage)
				}
			}
			if !slices.Equal(tr.lines, want) {
				t.Errorf("heard\n%s\nwant\n%s", strings.Join(tr.lines, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestTrace_costs_nothing_when_nobody_hears(t *testing.T) {
	x := &execution{c: (&house{next: ok()}).controller(t)}
	ctx, do := context.Background(), func(context.Context) error { return nil }
	if n := testing.AllocsPerRun(100, func() { _ = x.traced(ctx, StageRun, do) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
