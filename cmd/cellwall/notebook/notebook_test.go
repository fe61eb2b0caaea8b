package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

const old = `{"cells":[
 {"cell_type":"markdown","metadata":{"x":1},"source":["# Title\n","text"],"attachments":{"a.png":{"image/png":"AA"}}},
 {"cell_type":"code","execution_count":7,"metadata":{"tags":["raises-exception"]},"outputs":[
  {"output_type":"stream","name":"stdout","text":["a\n","b\n"]},
  {"output_type":"execute_result","execution_count":7,"metadata":{},"data":{"text/plain":["1\n","2"],"application/json":{"k":[1]}}},
  {"output_type":"error","ename":"E","evalue":"v","traceback":["t"]}],"source":"x < 1\ny"},
 {"cell_type":"code","id":"same","execution_count":null,"metadata":{},"outputs":[],"source":[]},
 {"cell_type":"raw","id":"same","metadata":{},"source":"raw"}],
 "metadata":{"kernelspec":{"language":"python","name":"conda-env"},"mine":{"b":2,"a":1}},"nbformat":4,"nbformat_minor":2,"extra":true}`

func read(t *testing.T, text string) *Notebook {
	t.Helper()
	n, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func written(t *testing.T, n *Notebook) string {
	t.Helper()
	var b bytes.Buffer
	if err := n.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestM54_ADocumentKeepsWhatIsNotUnderstood(t *testing.T) {
	n := read(t, old)
	if len(n.Cells) != 4 || n.Cells[0].Source != "# Title\ntext" || n.Cells[1].Source != "x < 1\ny" || n.Cells[1].Count != 7 ||
		!n.Cells[1].Tagged("raises-exception") || n.Cells[0].Tagged("x") || n.Language() != "python" {
		t.Fatalf("read %+v, language %q", n.Cells, n.Language())
	}
	text := written(t, n)
	for _, want := range []string{`"nbformat_minor": 5`, `"extra": true`, `"a.png"`, `"tags"`, "\n    \"x < 1\\n\",\n    \"y\"\n", "\"mine\": {\n   \"a\": 1,\n   \"b\": 2\n", "\n \"cells\": ["} {
		if !strings.Contains(text, want) {
			t.Errorf("what was written lacks %s:\n%s", want, text)
		}
	}
	ids := map[string]bool{}
	again := read(t, text)
	for i, c := range again.Cells {
		if !cellID.MatchString(c.ID) || ids[c.ID] {
			t.Errorf("cell %d has the id %q", i, c.ID)
		}
		ids[c.ID] = true
		if !reflect.DeepEqual(c.Outputs, n.Cells[i].Outputs) {
			t.Errorf("cell %d: outputs %+v, want %+v", i, c.Outputs, n.Cells[i].Outputs)
		}
	}
	if !ids["same"] || written(t, again) != text {
		t.Errorf("a second writing differs, or an id was changed: %v", ids)
	}
	var raw map[string]any
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	code := raw["cells"].([]any)[2].(map[string]any)
	if count, ok := code["execution_count"]; !ok || count != nil {
		t.Errorf("a cell that did not run has the count %v", count)
	}
}

func TestM54_WhatIsNoNotebookIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "x", "a list": "[]", "format 3": `{"nbformat":3,"worksheets":[]}`, "no format": `{"cells":[]}`,
		"a cell of no kind":    `{"nbformat":4,"cells":[{"cell_type":"evil"}]}`,
		"a source of no text":  `{"nbformat":4,"cells":[{"cell_type":"code","source":{"a":1}}]}`,
		"an output of no type": `{"nbformat":4,"cells":[{"cell_type":"code","source":"","outputs":[{"output_type":"x"}]}]}`,
		"cells that are none":  `{"nbformat":4,"cells":{}}`,
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// record has a recorder hear of a cell.
func record(t *testing.T, events ...cellwall.Event) *Recorder {
	t.Helper()
	var r Recorder
	for _, e := range events {
		if err := r.Sink(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	return &r
}

func out(text string) cellwall.Event {
	return cellwall.Event{Kind: cellwall.EventStdout, Data: []byte(text)}
}

func value(main bool, data map[string]string) cellwall.Event {
	rich := &cellwall.Rich{IsMainResult: main, Data: map[string]json.RawMessage{}}
	for mime, content := range data {
		rich.Data[mime] = json.RawMessage(content)
	}
	return cellwall.Event{Kind: cellwall.EventResult, Rich: rich}
}

func TestM54_OutputsComeInTheirOrder(t *testing.T) {
	r := record(t, out("a"), out("b\n"), value(false, map[string]string{"text/plain": `"shown"`, "text/html": `5`}),
		cellwall.Event{Kind: cellwall.EventStderr, Data: []byte("e\xff")}, out("c"),
		value(true, map[string]string{"text/plain": `"1"`, "application/json": `{"a":1}`}),
		cellwall.Event{Kind: cellwall.EventError, Data: []byte(`{"type":"KeyError","message":"'x'","traceback":"line 1\nline 2\n"}`)})
	c := Cell{Kind: Code, Source: "x", Count: 3, Outputs: r.Outputs(&cellwall.Result{}, 3)}
	n := New()
	n.Cells = append(n.Cells, &c)
	got := read(t, written(t, n)).Cells[0].Outputs
	want := []Output{
		{Type: Stream, Name: "stdout", Text: "ab\n"},
		{Type: Display, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"shown"`)}}, // no text, no text/html
		{Type: Stream, Name: "stderr", Text: "e\ufffd"},
		{Type: Stream, Name: "stdout", Text: "c"},
		{Type: Result, Count: 3, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"1"`), "application/json": json.RawMessage(`{"a":1}`)}},
		{Type: Failure, ErrorName: "KeyError", ErrorValue: "'x'", Traceback: []string{"line 1", "line 2"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("outputs\n%+v\nwant\n%+v", got, want)
	}
}

func TestM15_WhatACellLeavesIsBounded(t *testing.T) {
	r := record(t, out(strings.Repeat("x", maxText)), out("more"))
	for range maxOutputs + 10 {
		r.value(&cellwall.Rich{Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"` + strings.Repeat("y", 1<<17) + `"`)}})
	}
	size := 0
	outputs := r.Outputs(&cellwall.Result{OK: true}, 1)
	for _, o := range outputs {
		size += len(o.Text) + len(o.Data["text/plain"])
	}
	if last := outputs[len(outputs)-1]; size > maxText+maxData+1000 || len(outputs) > maxOutputs+1 || !strings.Contains(last.Text, "left out") {
		t.Errorf("%d bytes in %d outputs, the last %q", size, len(outputs), last.Text)
	}
}

func TestM54_ACellThatWasKilledHasItsCause(t *testing.T) {
	r := record(t, out("x"))
	got := r.Outputs(&cellwall.Result{Status: cellwall.StatusMemoryLimit, Cause: cellwall.CauseOOM, Observation: cellwall.Observation{RetryHint: "use less"}}, 1)
	if len(got) != 2 || got[1].ErrorName != "memory_limit" || got[1].ErrorValue != "use less" {
		t.Errorf("outputs %+v", got)
	}
}

func TestM54_CompareFindsWhatDiffers(t *testing.T) {
	result := &cellwall.Result{ID: "exec_a", OK: true, Status: cellwall.StatusOK, Artifacts: []cellwall.Artifact{{Name: "a.csv", Bytes: 1, SHA256: "11"}}}
	events := []cellwall.Event{
		out("at <object 0x7f00aa>\n"), value(false, map[string]string{"image/png": `"AAAA"`}), value(true, map[string]string{"text/plain": `"1"`}),
	}
	recorded := &Cell{Outputs: record(t, events...).Outputs(result, 1)}
	if err := recorded.Sign(result); err != nil {
		t.Fatal(err)
	}
	recorded = read(t, written(t, &Notebook{Cells: []*Cell{{Kind: Code, Outputs: recorded.Outputs, metadata: recorded.metadata}}})).Cells[0]
	with := func(i int, e cellwall.Event) []cellwall.Event {
		changed := append([]cellwall.Event{}, events...)
		changed[i] = e
		return changed
	}
	for _, c := range []struct {
		name   string
		events []cellwall.Event
		result cellwall.Result
		what   []string
	}{
		{"nothing", events, *result, nil},
		{"another address", with(0, out("at <object 0x7f00bb>\n")), *result, nil},
		{"output in other pieces", append([]cellwall.Event{out("at <object")}, with(0, out(" 0x7f00aa>\n"))...), *result, nil},
		{"output", with(0, out("other\n")), *result, []string{"stdout"}},
		{"a figure", with(1, value(false, map[string]string{"image/png": `"AAAB"`})), *result, []string{"figure 1"}},
		{"a value", with(2, value(true, map[string]string{"text/plain": `"2"`})), *result, []string{"result 1"}},
		{"an artifact", events, cellwall.Result{OK: true, Status: cellwall.StatusOK, Artifacts: []cellwall.Artifact{{Name: "a.csv", SHA256: "22"}, {Name: "b.csv", SHA256: "33"}}}, []string{"artifact a.csv", "artifact b.csv"}},
		{"an end", events, cellwall.Result{Status: cellwall.StatusTimeout, Cause: cellwall.CauseDeadline}, []string{"artifact a.csv", "error", "status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var what []string
			for _, d := range recorded.Compare(record(t, c.events...).Outputs(&c.result, 1), &c.result) {
				what = append(what, d.What)
				if d.Recorded == d.Now {
					t.Errorf("%s: both are %q", d.What, d.Now)
				}
			}
			if !reflect.DeepEqual(what, c.what) {
				t.Errorf("differences %q, want %q", what, c.what)
			}
		})
	}
}

func TestM54_AScriptHasCellsThatEditorsKnow(t *testing.T) {
	n := New()
	n.Add(Markdown, "# Title\ntext\n")
	n.Add(Code, "x = 1\n\n")
	n.Add(Code, "print(x)")
	var b strings.Builder
	if err := n.WriteScript(&b); err != nil || b.String() != "# %% [markdown]\n# # Title\n# text\n\n# %%\nx = 1\n\n# %%\nprint(x)\n" {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

func FuzzRead(f *testing.F) {
	f.Add(old)
	f.Add(`{"nbformat":4,"nbformat_minor":99,"cells":[{"cell_type":"code","source":["a",""],"outputs":[{"output_type":"display_data","data":{"a":null}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := n.Write(&first); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first.String())
		}
		if err := again.Write(&second); err != nil || first.String() != second.String() {
			t.Errorf("a second writing differs: %v\n%s\n%s", err, first.String(), second.String())
		}
	})
}
