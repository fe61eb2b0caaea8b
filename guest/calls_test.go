package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestM50_ACallIsDecodedStrictly(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	for _, test := range []struct {
		name, payload string
		ok            bool
	}{
		{"a call", `{"id":7,"name":"query","arguments":{"sql":"select 1"}}`, true},
		{"without arguments", `{"id":7,"name":"query","arguments":{}}`, true},
		{"one that was answered", `{"id":6,"name":"query","arguments":{}}`, false},
		{"one that skips", `{"id":8,"name":"query","arguments":{}}`, false},
		{"no number", `{"name":"query","arguments":{}}`, false},
		{"a negative number", `{"id":-7,"name":"query","arguments":{}}`, false},
		{"a number that overflows", `{"id":18446744073709551623,"name":"query","arguments":{}}`, false},
		{"a list of arguments", `{"id":7,"name":"query","arguments":[]}`, false},
		{"arguments as text", `{"id":7,"name":"query","arguments":"{}"}`, false},
		{"no arguments", `{"id":7,"name":"query"}`, false},
		{"null for arguments", `{"id":7,"name":"query","arguments":null}`, false},
		{"a tenant of its own", `{"id":7,"name":"query","arguments":{},"tenant":"other"}`, false},
		{"nested too deeply", `{"id":7,"name":"query","arguments":{"a":` + deep + `}}`, false},
		{"too large", `{"id":7,"name":"query","arguments":{"a":"` + strings.Repeat("x", MaxCall) + `"}}`, false},
		{"two", `{"id":7,"name":"query","arguments":{}}{"id":8,"name":"query","arguments":{}}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			call, err := DecodeCall([]byte(test.payload), 7)
			if (err == nil) != test.ok || err != nil && !errors.Is(err, ErrProtocol) || err == nil && call.Name != "query" {
				t.Errorf("%+v, %v", call, err)
			}
		})
	}
}

func TestM50_AReplyIsOneDocumentOrNone(t *testing.T) {
	for _, test := range []struct {
		name, result string
		ok           bool
	}{
		{"a value", `{"a":[1,2,"\u2028"]}`, true},
		{"nothing", ``, false},
		{"two values", `1,2`, false},
		{"one that closes the document", `1},"kind":"table"`, false},
		{"bytes that are no text", "\"\xff\"", false},
		{"no value", `nan`, false},
		{"nested deeper than the driver reads", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), false},
		{"more than a frame", `"` + strings.Repeat("x", MaxFrame) + `"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			payload, err := Reply{ID: 3, Kind: ReplyJSON, Result: json.RawMessage(test.result)}.Encode()
			if (err == nil) != test.ok {
				t.Fatalf("%.100s, %v", payload, err)
			}
			var back struct {
				ID            uint64
				Kind, Failure string
				Message       string
				Result        json.RawMessage
			}
			if err == nil && (Decode(payload, &back) != nil || back.ID != 3 || back.Kind != ReplyJSON || string(back.Result) != test.result) {
				t.Errorf("%s is read as %+v", payload, back)
			}
		})
	}
	payload, err := Reply{ID: 4, Kind: ReplyError, Failure: "busy", Message: "no \"room\""}.Encode()
	if err != nil || string(payload) != `{"id":4,"kind":"error","failure":"busy","message":"no \"room\"","result":null}` {
		t.Errorf("%s, %v", payload, err)
	}
}

func FuzzDecodeCall(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"name":"query","arguments":{"sql":"select 1"}}`, `{"id":1,"name":"","arguments":{"a":[[]]}}`,
		`{"id":1,"ID":1,"arguments":{}}`, `{"id":1e0,"arguments":{"}":"{"}}`, `{"arguments":{"a":1e999}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := NewReader(bytes.NewReader(frame(KindCall, string(payload))))
		kind, read, err := r.Next()
		if err != nil || kind != KindCall || !bytes.Equal(read, payload) {
			t.Fatalf("%q came as %q, %v", payload, read, err)
		}
		if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("behind it comes %v", err)
		}
		call, err := DecodeCall(payload, 1)
		if err != nil {
			return
		}
		var arguments map[string]any
		if call.ID != 1 || deeper(payload) || len(payload) > MaxCall || json.Unmarshal(call.Arguments, &arguments) != nil {
			t.Fatalf("%q was decoded as %+v", payload, call)
		}
		if back, err := (Reply{ID: 1, Kind: ReplyJSON, Result: call.Arguments}).Encode(); err != nil || !json.Valid(back) {
			t.Fatalf("%q cannot be given back: %q, %v", payload, back, err)
		}
	})
}
