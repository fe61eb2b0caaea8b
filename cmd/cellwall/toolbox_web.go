package main

import (
	"context"
	"slices"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

// toolWeb brings data for a conversation from the web, outside of every sandbox, and
// adds what came to what its tools work on.
type toolWeb interface {
	fetch(ctx context.Context, url string) (broughtTable, error)
}

// broughtTable is a file that is there now, as a sandbox described it.
type broughtTable struct {
	cellwall.Dataset
	read *cellwall.Result // of the sandbox; nil = it was read before
	cell string           // file that it is in the live interpreter, beside its tables; "" = it is a table there, too
}

// fetch has a file brought. What goes wrong on the way is for the model to read: none of
// it is the other side's text.
func (b *toolbox) fetch(ctx context.Context, asked *tools.Fetch) (toolOutcome, error) {
	got, err := b.web.fetch(ctx, asked.URL)
	if err != nil {
		if ctx.Err() != nil || !forModel(err) {
			return toolOutcome{}, err
		}
		b.state = b.state.Ran(tools.FetchData, false)
		return outcome(map[string]any{"ok": false, "error": cellwall.CodeOf(err), "message": err.Error(), "hint": cellwall.HintOf(err)})
	}
	if b.tables != nil && !slices.ContainsFunc(b.tables, func(d cellwall.Dataset) bool { return got.ID != "" && d.ID == got.ID }) {
		b.tables = append(b.tables, got.Dataset)
	}
	b.state = b.state.Ran(tools.FetchData, true)
	said := map[string]any{
		"ok": true, "fetched": map[string]any{"file": got.Name, "bytes": got.Bytes}, "tables": tools.Describe([]cellwall.Dataset{got.Dataset}, ""),
	}
	if got.cell != "" {
		said["in_run_python"] = tools.Beside(b.lang, got.cell)
	}
	o, err := outcome(said)
	o.OK, o.Printed, o.Warnings = true, o.Text, tools.DataLimits([]cellwall.Dataset{got.Dataset}, b.lang)
	if o.result = got.read; got.read != nil {
		o.Execution = got.read.ID
	}
	return o, err
}

// forModel reports whether an error is one that a model can do something about.
func forModel(err error) bool {
	return slices.Contains([]cellwall.ErrorCode{
		cellwall.CodeBadRequest, cellwall.CodeForbidden, cellwall.CodeNotFound, cellwall.CodeTooLarge, cellwall.CodeSourceFailed,
		cellwall.CodeDatasetUnreadable, cellwall.CodeRateLimited,
	}, cellwall.CodeOf(err))
}
