package controller

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cellwall/cellwall"
)

// run sends the code and collects what comes out until the kernel says that
// it ended.
func (x *execution) run(ctx context.Context) error {
	if err := x.start(ctx); err != nil {
		return err
	}
	limits := x.spec.Limits
	var forward *outlet
	if x.sink != nil {
		forward = newOutlet(ctx, x.sink, x.c.opts.SinkPatience)
	}
	x.seen = newCollector(limits, x.logFile, forward)
	x.seen.narrow(x.turn.Room)
	x.seen.masked = newMasked(x.masking, x.result.ID)
	sent := time.Now()
	x.result.Usage.StartupMS = milliseconds(sent.Sub(x.began))
	code := cellwall.Code{
		Execution: x.result.ID, Source: x.source, Precedence: x.turn.Precedence, Timeout: limits.Timeout, Rows: limits.Rows, Describe: x.describe,
		Own: x.req.Own,
	}
	x.takeCalls(&code)
	end, err := x.send(ctx, code)
	if closeErr := x.seen.close(); closeErr != nil {
		x.c.opts.Logger.Warn("keep output log", "execution", x.result.ID, "error", closeErr)
	}
	if errors.Is(x.seen.stopped, errSinkBlocked) {
		x.c.opts.Logger.Warn("cancel run", "execution", x.result.ID, "error", x.seen.stopped, "patience", x.c.opts.SinkPatience)
	}
	if err != nil {
		return fmt.Errorf("run code: %w", err)
	}
	x.end = end
	return nil
}

// send hands the code to the sandbox: as its only program, as what a session
// begins with, or as one of its cells.
func (x *execution) send(ctx context.Context, code cellwall.Code) (cellwall.End, error) {
	if x.c.opts.Restrict != nil && !x.describe {
		code.Restrict = x.c.opts.Restrict(x.req, x.spec.Environment)
	}
	switch {
	case x.opened != nil:
		code.Count, code.File, code.KeepFiles = x.count, fmt.Sprintf("<cell %d>", x.count), x.req.KeepFiles
		return x.opened.sandbox.Cell(ctx, code, x.seen.sink)
	case x.begins != "":
		code.State = x.state
		return x.sandbox.(cellwall.Interpreter).Begin(ctx, code, x.seen.sink)
	}
	return x.sandbox.Run(ctx, code, x.seen.sink)
}

// logFile names the file that keeps a stream whole, "" when none shall.
func (x *execution) logFile(stream string) string {
	if x.c.opts.Logs == "" {
		return ""
	}
	return filepath.Join(x.c.opts.Logs, x.result.ID+"."+stream+".log")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
