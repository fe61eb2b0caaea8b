package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/tools"
)

// insideFunctions are those of ours that code may call, by their names on the command
// line and in the API.
func (h *house) insideFunctions(names []string, environment, language string) ([]cellwall.Function, error) {
	var functions []cellwall.Function
	for _, name := range names {
		if name != tools.QueryInside {
			return nil, &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "choose tools", Err: fmt.Errorf("%q is not one", name), Hint: "known: " + tools.QueryInside,
			}
		}
		if _, err := h.environments.Open(environment); err != nil {
			return nil, err // now, and not when the code calls for it
		}
		f, err := tools.NewQuery(tools.Language(language), func(ctx context.Context, call cellwall.Call) cellwall.Reply {
			return h.query(ctx, call, environment)
		})
		if err != nil {
			return nil, err
		}
		functions = append(functions, f)
	}
	return functions, nil
}

// queryFunctions are what a model's programs may call: tools.query, where SQL is
// set up.
func (h *house) queryFunctions(environment, language string) ([]cellwall.Function, error) {
	functions, err := h.insideFunctions([]string{tools.QueryInside}, environment, language)
	if cellwall.CodeOf(err) == cellwall.CodeEnvironmentMissing {
		return nil, nil
	}
	return functions, err
}

// saySQL says that a model does without SQL here, and why.
func (h *house) saySQL(p *program, verb, environment string) {
	if _, err := h.environments.Open(environment); err != nil {
		p.stderr.say(faint, verb+": ", fmt.Sprintf("the model gets no query_data: %s (%s)", environment+" is not built", cellwall.HintOf(err)))
	}
}

// query answers tools.query: the SQL runs as query_data does, in a sandbox of its own
// over the inputs of the execution that asks and waits.
func (h *house) query(ctx context.Context, call cellwall.Call, environment string) cellwall.Reply {
	var asked tools.Query
	if err := json.Unmarshal(call.Arguments, &asked); err != nil {
		return notAnswered(cellwall.CallArguments, "%v", err)
	}
	source, err := tools.RowsSource(asked.SQL)
	if err != nil {
		return notAnswered(cellwall.CallFailed, "%v", err)
	}
	r, err := h.controller.Run(ctx, cellwall.Request{
		Identity: call.Identity, Code: source, Purpose: "tools." + call.Name, Datasets: call.Inputs,
		Environment: environment, Backend: call.Backend, Language: call.Language, AllowDegraded: call.AllowDegraded,
		Limits: insideLimits(call), Parent: call.Execution, Own: true, Profile: "off",
	})
	switch {
	case cellwall.CodeOf(err) == cellwall.CodeBusy && err != nil:
		return notAnswered(cellwall.CallBusy, "there is no room for another sandbox now")
	case err != nil && !forModel(err): // it tells of us, and hostile code hears it
		h.logger.Error("run query of a sandbox", "execution", call.Execution, "error", err)
		return notAnswered(cellwall.CallFailed, "the query could not be run")
	case err != nil:
		return notAnswered(cellwall.CallFailed, "%s", wordsOf(err))
	}
	return rowsOf(r)
}

// rowsOf is the table that a query displayed.
func rowsOf(r *cellwall.Result) cellwall.Reply {
	switch {
	case r.Status == cellwall.StatusTimeout:
		return notAnswered(cellwall.CallTimeout, "the query took longer than a query may")
	case r.Status == cellwall.StatusMemoryLimit:
		return notAnswered(cellwall.CallFailed, "the query needs more memory than it has: name the columns instead of *, filter or group before you sort or join, or read the file in chunks")
	case !r.OK && r.Error != nil:
		return notAnswered(cellwall.CallFailed, "%s: %s", r.Error.Type, r.Error.Message)
	case !r.OK:
		return notAnswered(cellwall.CallFailed, "the query ended as %s (%s)", r.Status, cmp.Or(r.Cause, cellwall.CauseNone))
	}
	for _, rich := range r.Results {
		var table string
		if raw, ok := rich.Data[tools.RowsType]; ok && json.Unmarshal(raw, &table) == nil {
			return cellwall.Reply{Result: json.RawMessage(table), Table: true}
		}
	}
	return notAnswered(cellwall.CallFailed, "the query gave no table, or one that is too large to pass on")
}

// servedFunctions are what the service's API lets code call.
type servedFunctions struct{ house *house }

var _ api.Functions = servedFunctions{}

// Ours implements api.Functions.
func (s servedFunctions) Ours(names []string, language string) ([]cellwall.Function, error) {
	return s.house.insideFunctions(names, sqlEnvironment, language)
}

// Theirs implements api.Functions.
func (servedFunctions) Theirs(
	name, description string, parameters json.RawMessage, language string, do func(context.Context, cellwall.Call) cellwall.Reply,
) (cellwall.Function, error) {
	return tools.NewFunction(name, description, parameters, tools.Language(language), do)
}

func notAnswered(why cellwall.CallFailure, format string, args ...any) cellwall.Reply {
	return cellwall.Reply{Failure: why, Message: fmt.Sprintf(format, args...)}
}

// wordsOf is an error with what to do about it.
func wordsOf(err error) string {
	if hint := cellwall.HintOf(err); hint != "" {
		return fmt.Sprintf("%v (%s)", err, hint)
	}
	return err.Error()
}
