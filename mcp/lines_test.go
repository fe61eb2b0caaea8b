package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// spoken has a session hear some lines, and returns what it answered.
func spoken(t *testing.T, input string) []string {
	t.Helper()
	s := New(Options{Toolbox: &scripted{}})
	defer s.Close()
	var out bytes.Buffer
	if err := s.Serve(t.Context(), &Lines{In: strings.NewReader(input), Out: &out, Most: 4096}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	ping = `{"jsonrpc":"2.0","id":99,"method":"ping"}`
)

func TestBadInput_ALineThatIsNoMessageIsAnsweredAndTheNextOneIsRead(t *testing.T) {
	for name, row := range map[string]struct{ line, want string }{
		"no JSON":              {"hello", `"code":-32700`},
		"half of it":           {`{"jsonrpc":"2.0","id":1`, `"code":-32700`},
		"two on a line":        {ping + ping, `"code":-32700`},
		"not UTF-8":            {"\xff\xfe", `"code":-32700`},
		"NUL":                  {"\x00", `"code":-32700`},
		"a batch":              {"[" + ping + "]", `"code":-32600`},
		"an empty batch":       {"[]", `"code":-32600`},
		"a number":             {"1", `"code":-32600`},
		"no version":           {`{"id":5,"method":"ping"}`, `"id":5`},
		"another version":      {`{"jsonrpc":"1.0","id":6,"method":"ping"}`, `"id":6`},
		"nothing in it":        {`{}`, `"code":-32600`},
		"an id that is a list": {`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `"code":-32600`},
		"too long":             {strings.Repeat("x", 5000), `more than 4096 bytes`},
		"longer than a buffer": {strings.Repeat("x", 200_000), `more than 4096 bytes`},
		"too deep":             {strings.Repeat("[", 4000), `"code":-32700`},
		"an unknown method":    {`{"jsonrpc":"2.0","id":7,"method":"sudo"}`, `"code":-32601`},
		"no parameters":        {`{"jsonrpc":"2.0","id":8,"method":"tools/call"}`, `"id":8,"error"`},
		"wrong parameters":     {`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7}}`, `"code":-32602`},
		"a cursor of nobody's": {`{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":"x"}}`, `"id":10`},
		"once more hello":      {strings.Replace(strings.SplitN(hello, "\n", 2)[0], `"id":1`, `"id":11`, 1), `"id":11,"error"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := spoken(t, hello+row.line+"\n"+ping+"\n")
			all := strings.Join(got, "\n")
			if !strings.Contains(all, row.want) || !strings.Contains(all, `{"jsonrpc":"2.0","id":99,"result":{}}`) {
				t.Errorf("answered %s", all)
			}
			for _, line := range got {
				if !json.Valid([]byte(line)) {
					t.Errorf("%q is no message", line)
				}
			}
		})
	}
}

func TestBadInput_AVersionThatNobodyKnowsIsAnsweredWithOneThatWeDo(t *testing.T) {
	for _, version := range []string{"1999-01-01", "2099-01-01", "", "x"} {
		got := spoken(t, strings.Replace(hello, "2025-11-25", version, 1))
		if !strings.Contains(got[0], `"protocolVersion":"2025-11-25"`) {
			t.Errorf("%q was answered %s", version, got[0])
		}
	}
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`
	if got := spoken(t, modern+"\n"); !strings.Contains(got[0], "2026-07-28") || !strings.Contains(got[0], "error") {
		t.Errorf("a version of the future was answered %s", got[0])
	}
}

func TestBadInput_NothingIsDoneBeforeHello(t *testing.T) {
	got := spoken(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect_data"}}`+"\n")
	if !strings.Contains(got[0], `"error"`) {
		t.Errorf("answered %s", got[0])
	}
}

func TestBadInput_TheLastLineCountsWithoutItsEnd(t *testing.T) {
	if got := spoken(t, hello+ping); !strings.Contains(strings.Join(got, ""), `"id":99`) {
		t.Errorf("answered %s", got)
	}
}

func TestBadInput_WhatRunsEndsSoonAfterTheInput(t *testing.T) {
	box, ended := &scripted{state: ready()}, make(chan struct{})
	box.run = func(ctx context.Context, _ string, _ []byte) (Outcome, error) {
		<-ctx.Done()
		close(ended)
		return Outcome{}, ctx.Err()
	}
	s := New(Options{Toolbox: box})
	defer s.Close()
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_python"}}` + "\n"
	if err := s.Serve(t.Context(), &Lines{In: strings.NewReader(hello + call), Out: io.Discard}); err != nil {
		t.Fatal(err)
	}
	soon(t, "the execution ends", ended)
}

// broken is an input that fails.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

func TestBadInput_AnInputThatFailsIsAnError(t *testing.T) {
	s := New(Options{Toolbox: &scripted{}})
	defer s.Close()
	if err := s.Serve(t.Context(), &Lines{In: broken{}, Out: io.Discard}); err == nil {
		t.Error("nobody heard of it")
	}
}

func FuzzLines(f *testing.F) {
	for _, line := range []string{ping, hello, "[]", "{}", `{"id":{}}`, "\r\n", strings.Repeat("a", 300)} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		c, err := (&Lines{In: bytes.NewReader(input), Out: &out, Most: 256}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for {
			message, err := c.Read(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := jsonrpc.EncodeMessage(message); err != nil || len(raw) > 4096 {
				t.Errorf("%d bytes, %v", len(raw), err)
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Errorf("%q is no message", line)
			}
		}
	})
}
