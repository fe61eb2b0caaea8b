package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

func TestM44_AClientSeesWhatTheRouterOffersAndHearsOfChanges(t *testing.T) {
	changed := make(chan struct{}, 16)
	_, c := connected(t, &scripted{}, nil, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	})
	if got := listed(t, c); !reflect.DeepEqual(got, []string{tools.InspectData}) {
		t.Errorf("before the data are known %v are listed", got)
	}
	refused := called(t, c, tools.RunPython, map[string]any{"code": "1", "purpose": "p"})
	if text := refused.Content[0].(*sdk.TextContent).Text; !refused.IsError || !strings.Contains(text, `"instead":"inspect_data"`) {
		t.Errorf("a call that is not offered: %s", text)
	}
	called(t, c, tools.InspectData, nil)
	soon(t, "tools/list_changed", changed)
	if got := listed(t, c); !reflect.DeepEqual(got, []string{tools.InspectData, tools.MakeChart, tools.QueryData}) {
		t.Errorf("then %v are listed", got)
	}
	called(t, c, tools.QueryData, map[string]any{"sql": "SELECT 1"})
	soon(t, "tools/list_changed", changed)
	if got := listed(t, c); len(got) != 4 {
		t.Errorf("after SQL was tried %v are listed", got)
	}
}

func TestM44_AClientThatListsOnceMaySeeEveryToolAndCallNoMore(t *testing.T) {
	_, c := connected(t, &scripted{}, func(o *Options) { o.Every = true }, nil)
	if got := listed(t, c); len(got) != 4 {
		t.Errorf("%v are listed", got)
	}
	if r := called(t, c, tools.MakeChart, map[string]any{"kind": "bar", "x": "a"}); !r.IsError {
		t.Error("a chart was made of data that nobody has seen")
	}
}

func TestM44_EachToolSaysWhatItTakesGivesAndDoes(t *testing.T) {
	_, c := connected(t, &scripted{state: ready()}, nil, nil)
	l, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range l.Tools {
		a := tool.Annotations
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Title == "" || tool.Description == "" || a == nil {
			t.Fatalf("%s: %+v", tool.Name, tool)
		}
		if *a.DestructiveHint || *a.OpenWorldHint || a.ReadOnlyHint != (tool.Name != tools.RunPython) || a.IdempotentHint != a.ReadOnlyHint {
			t.Errorf("%s: hints %+v", tool.Name, a)
		}
	}
}

func TestM44_AnUnknownToolIsAProtocolErrorThatNamesTheOthers(t *testing.T) {
	_, c := connected(t, &scripted{}, nil, nil)
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop\u202etables"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams || !strings.Contains(wire.Message, "inspect_data") || strings.Contains(wire.Message, "\u202e") {
		t.Errorf("%v", err)
	}
}

func TestM44_AnErrorThatIsNotTheModelsIsAnAnswerItCanRead(t *testing.T) {
	box := &scripted{state: ready()}
	_, c := connected(t, box, nil, nil)
	for _, row := range []struct {
		err  error
		want []string
		not  string
	}{
		{
			&cellwall.Error{Code: cellwall.CodeRateLimited, Op: "run", Err: errors.New("too many"), Hint: "wait", RetryAfter: 1500 * time.Millisecond},
			[]string{`"ok":false`, `"error":"rate_limited"`, `"hint":"wait"`, `"retry_after_s":2`},
			"",
		},
		{errors.New("open /var/lib/secret: no such file"), []string{`"error":"internal"`}, "/var/lib"},
	} {
		box.run = func(context.Context, string, []byte) (Outcome, error) { return Outcome{}, row.err }
		r := called(t, c, tools.QueryData, map[string]any{"sql": "SELECT 1"})
		text := r.Content[0].(*sdk.TextContent).Text
		for _, want := range row.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
		if !r.IsError || row.not != "" && strings.Contains(text, row.not) {
			t.Errorf("%v became %s", row.err, text)
		}
	}
}

func TestM44_AToolThatPanicsIsOneThatFailed(t *testing.T) {
	box := &scripted{state: ready()}
	_, c := connected(t, box, nil, nil)
	for _, run := range []func(context.Context, string, []byte) (Outcome, error){
		func(context.Context, string, []byte) (Outcome, error) { panic("a fault of ours") },
		nil,
	} {
		box.run = run
		r := called(t, c, tools.QueryData, map[string]any{"sql": "SELECT 1"})
		text := r.Content[0].(*sdk.TextContent).Text
		if r.IsError != (run != nil) || strings.Contains(text, "fault") {
			t.Errorf("%v: %s", r.IsError, text)
		}
	}
}

func TestM44_ProgressIsToldWhileAToolRuns(t *testing.T) {
	box := &scripted{state: ready()}
	var heard atomic.Int64
	last := make(chan struct{}, 64)
	_, c := connected(t, box, nil, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if r.Params.ProgressToken != "p" || !strings.HasPrefix(r.Params.Message, tools.RunPython) {
				t.Errorf("progress %+v", r.Params)
			}
			heard.Add(1)
			last <- struct{}{}
		},
	})
	box.run = func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
		for range 4 {
			select {
			case <-last:
			case <-ctx.Done():
			}
		}
		return Outcome{Text: `{"ok":true}`, OK: true}, nil
	}
	p := &sdk.CallToolParams{Name: tools.RunPython, Arguments: map[string]any{}}
	p.SetProgressToken("p")
	if _, err := c.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	after := heard.Load()
	time.Sleep(100 * time.Millisecond) // five beats
	if heard.Load() != after {
		t.Errorf("%d were told after the answer", heard.Load()-after)
	}
}

func TestM44_CancellingEndsTheExecution(t *testing.T) {
	box, began, ended := &scripted{state: ready()}, make(chan struct{}), make(chan struct{})
	box.run = func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return Outcome{}, ctx.Err()
	}
	_, c := connected(t, box, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tools.RunPython})
		answered <- err
	}()
	soon(t, "the execution begins", began)
	cancel()
	soon(t, "the execution ends", ended)
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	box.run = nil
	if r := called(t, c, tools.QueryData, map[string]any{"sql": "SELECT 1"}); r.IsError {
		t.Error("the next call did not get its turn")
	}
}

func TestM44_WhatRunsEndsWithItsSession(t *testing.T) {
	box, began, ended := &scripted{state: ready()}, make(chan struct{}), make(chan struct{})
	box.run = func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return Outcome{}, ctx.Err()
	}
	s, c := connected(t, box, nil, nil)
	go func() { _, _ = c.CallTool(context.Background(), &sdk.CallToolParams{Name: tools.RunPython}) }()
	soon(t, "the execution begins", began)
	s.Close()
	soon(t, "the execution ends", ended)
}

func TestM44_CallsOfOneClientTakeTurnsAndTooManyAreTurnedAway(t *testing.T) {
	box, gate := &scripted{state: ready()}, make(chan struct{})
	var running, most, runs atomic.Int64
	box.run = func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		runs.Add(1)
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return Outcome{Text: `{"ok":true}`, OK: true}, nil
	}
	s, c := connected(t, box, nil, nil)
	answers := make(chan bool, mostCalls)
	for range mostCalls {
		go func() {
			r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tools.QueryData})
			answers <- err == nil && !r.IsError
		}()
	}
	full := make(chan struct{})
	go func() {
		for len(s.places) < mostCalls {
			time.Sleep(time.Millisecond)
		}
		close(full)
	}()
	soon(t, "all places are taken", full)
	r := called(t, c, tools.QueryData, nil)
	if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || !strings.Contains(text, `"error":"busy"`) {
		t.Errorf("one too many: %s", text)
	}
	close(gate)
	for range mostCalls {
		if !<-answers {
			t.Error("a call that had a place was not answered")
		}
	}
	if most.Load() != 1 || runs.Load() != mostCalls {
		t.Errorf("%d ran at once, %d in all", most.Load(), runs.Load())
	}
}

func TestM44_WhoAsksByThePromptBeginsAnew(t *testing.T) {
	box := &scripted{state: tools.State{Inspected: true, Task: tools.TaskSteps, Failures: 2}}
	_, c := connected(t, box, nil, nil)
	if got := listed(t, c); len(got) != 3 {
		t.Fatalf("after two failures %v are listed", got)
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: promptName, Arguments: map[string]string{"question": "cluster the customers"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Messages[0].Content.(*sdk.TextContent).Text; !strings.HasPrefix(text, "the tables cluster the customers\n") || strings.Count(text, "cluster the customers") != 1 {
		t.Errorf("the prompt is %q", text)
	}
	if got := listed(t, c); len(got) != 4 || !reflect.DeepEqual(box.asked, []string{"cluster the customers"}) {
		t.Errorf("then %v are listed; asked %v", got, box.asked)
	}
	long := map[string]string{"question": strings.Repeat("?", mostQuestion+1)}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: promptName, Arguments: long}); err == nil {
		t.Error("a question without end was taken")
	}
}

func TestM44_AClientMayReadTheLog(t *testing.T) {
	heard := make(chan string, 4)
	_, c := connected(t, &scripted{}, nil, &sdk.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			heard <- fmt.Sprint(r.Params.Level, r.Params.Data)
		},
	})
	p := &sdk.CallToolParams{Name: tools.InspectData, Meta: sdk.Meta{sdk.MetaKeyLogLevel: "info"}}
	if _, err := c.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	select {
	case line := <-heard:
		if !strings.HasPrefix(line, "info") || !strings.Contains(line, "exec_1") {
			t.Errorf("the log says %s", line)
		}
	case <-time.After(10 * time.Second):
		t.Error("the log says nothing")
	}
}

func TestM44_EveryToolHasATitle(t *testing.T) {
	for _, l := range []tools.Language{tools.English, tools.Chinese} {
		for _, tool := range tools.Of(l, tools.State{Hosts: "data.example.org"}.Offers(l)) {
			s := Session{opts: Options{Language: l}}
			if d := s.described(tool); d.Title == "" || d.Annotations.Title != d.Title {
				t.Errorf("%s in %s: %q", tool.Name, l, d.Title)
			}
		}
	}
}

// The longest question that is taken stands in the prompt whole.
func TestM44_NoQuestionIsCut(t *testing.T) {
	p := tools.Prompt{Question: strings.Repeat("问", mostQuestion), Language: tools.Chinese}
	if !strings.Contains(p.Text(), p.Question+"\n") {
		t.Error("it is cut")
	}
}
