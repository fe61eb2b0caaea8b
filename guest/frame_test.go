package guest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func frame(kind Kind, payload string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	return append(append(b, byte(kind)), payload...)
}

func TestD94_FramesAreReadStrictly(t *testing.T) {
	ok := frame(KindValue, `{"a":1}`)
	for _, test := range []struct {
		name  string
		input []byte
		want  error // of the last Next
	}{
		{"a clean end", ok, io.EOF},
		{"nothing", nil, io.EOF},
		{"an end inside a header", ok[:3], io.ErrUnexpectedEOF},
		{"an end inside a payload", ok[:len(ok)-1], io.ErrUnexpectedEOF},
		{"an unknown kind", frame('x', ""), ErrProtocol},
		{"a kind of the host", frame(KindRun, ""), ErrProtocol},
		{"an answer of the host", frame(KindReply, ""), ErrProtocol},
		{"a reserved kind", frame('I', ""), ErrProtocol},
		{"a session's kind of the host", frame(KindCell, ""), ErrProtocol},
		{"a snapshot's kind of the host", frame(KindResume, ""), ErrProtocol},
		{"a length over the limit", []byte{0xff, 0xff, 0xff, 0xff, byte(KindValue)}, ErrProtocol},
		{"more frames than a run may send", bytes.Repeat(frame(KindNotice, ""), MaxFrames+1), ErrProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(test.input))
			var err error
			for err == nil {
				_, _, err = r.Next()
			}
			if !errors.Is(err, test.want) {
				t.Errorf("ended with %v, want %v", err, test.want)
			}
		})
	}
}

func TestD94_APromisedLengthCostsNothing(t *testing.T) {
	head := append(binary.BigEndian.AppendUint32(nil, MaxFrame), byte(KindValue))
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			peer := io.MultiReader(bytes.NewReader(head), strings.NewReader("ten bytes."))
			if _, _, err := NewReader(peer).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatalf("a frame that broke off gave %v", err)
			}
		}
	})
	if bytes := result.AllocedBytesPerOp(); bytes > 1<<20 {
		t.Errorf("ten bytes of a promised 16 MiB cost %d bytes", bytes)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, test := range []struct{ name, payload string }{
		{"an unknown field", `{"execution":"x","ok":true,"more":1}`},
		{"a value after the first", `{"execution":"x","ok":true}{}`},
		{"a bracket after the value", `{"execution":"x","ok":true}]`},
		{"a brace after the value", `{"execution":"x","ok":true}}`},
		{"no value", ``},
		{"another type", `[]`},
		{"invalid UTF-8", "{\"execution\":\"\xff\"}"},
		{"deep nesting", deep},
		{"half a value", `{"execution":`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var done Done
			if err := Decode([]byte(test.payload), &done); !errors.Is(err, ErrProtocol) || errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Decode(%.40q) = %v, want a protocol error", test.payload, err)
			}
		})
	}
	var done Done
	if err := Decode([]byte(` {"execution":"x","ok":true} `), &done); err != nil || !done.OK || done.Execution != "x" {
		t.Errorf("a plain document: %+v, %v", done, err)
	}
}

func deeper(payload []byte) bool {
	deepest, _ := measure(payload, 0)
	return deepest > MaxDepth
}

func TestD94_FewBytesDoNotBecomeManyValues(t *testing.T) {
	list := func(n int, of string) string { return strings.TrimSuffix(strings.Repeat(of+",", n), ",") }
	keys := func(n int, of string) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf(`"%d,":%s`, i, of)
		}
		return strings.Join(members, ",")
	}
	for _, test := range []struct {
		name    string
		into    func() any
		payload func(n int) string
	}{
		{"types of a value", func() any { return &Value{} }, func(n int) string {
			return `{"is_main_result":true,"data":{` + keys(n, "[1,2]") + `}}`
		}},
		{"types in two parts", func() any { return &Value{} }, func(n int) string {
			return `{"data":{` + keys(n-n/2, "1") + `},"data":{` + keys(n/2+1, "1") + `}}`
		}},
		{"arguments of a notice", func() any { return &Notice{} }, func(n int) string {
			return `{"code":"x","args":{` + keys(n, `"\","`) + `}}`
		}},
		{"what cannot come back", func() any { return &Standing{} }, func(n int) string {
			return `{"checkpoint":"cp","error":"","cannot":[` + list(n, `{"code":"a,b","args":{"x":"1","y":"2"}}`) + `]}`
		}},
		{"what is lost", func() any { return &Up{} }, func(n int) string {
			return `{"checkpoint":"cp","lost":[` + list(n, `{"code":"x","args":{}}`) + `]}`
		}},
		{"tables", func() any { return &[]Table{} }, func(n int) string { return "[" + list(n, `{"columns":["a","b"]}`) + "]" }},
		{"datasets", func() any { return &[]json.RawMessage{} }, func(n int) string { return "[" + list(n, `{"a":1,"b":[1,2]}`) + "]" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := Decode([]byte(test.payload(MaxMembers)), test.into()); err != nil {
				t.Errorf("%d of them: %v", MaxMembers, err)
			}
			if err := Decode([]byte(test.payload(MaxMembers+1)), test.into()); !errors.Is(err, ErrProtocol) {
				t.Errorf("%d of them: %v, want a protocol error", MaxMembers+1, err)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	f.Add(frame(KindDone, `{"execution":"x","ok":true}`))
	f.Add([]byte{0, 0, 0, 9, 'V', '{'})
	f.Fuzz(func(t *testing.T, input []byte) {
		r := NewReader(bytes.NewReader(input))
		read := 0
		for {
			kind, payload, err := r.Next()
			if err != nil {
				break
			}
			read += headerSize + len(payload)
			if !bytes.Equal(frame(kind, string(payload)), input[read-headerSize-len(payload):read]) {
				t.Fatal("a frame is not what was sent")
			}
		}
		if read > len(input) {
			t.Fatal("more was read than was sent")
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"execution":"x","ok":true}`, `{}}`, `[]]`, `{"execution":"\ud800"}`, `"`, `{"ok":1e999}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var done Done
		if Decode(payload, &done) == nil && deeper(payload) {
			t.Fatal("a payload over the bound was decoded")
		}
	})
}
