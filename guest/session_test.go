package guest

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestM40_ASessionsFramesAreDecodedStrictly(t *testing.T) {
	for _, test := range []struct {
		name    string
		kind    Kind
		payload string
		into    any
		want    any // nil = a protocol error
	}{
		{
			"a snapshot stands", KindStanding,
			`{"checkpoint":"cp_a","error":"","cannot":[{"code":"lost_threads","args":{"count":"2"}}]}`,
			&Standing{}, &Standing{Checkpoint: "cp_a", Cannot: []Notice{{Code: "lost_threads", Args: map[string]string{"count": "2"}}}},
		},
		{"a snapshot that failed", KindStanding, `{"checkpoint":"cp_a","error":"EAGAIN","cannot":[]}`, &Standing{}, &Standing{Checkpoint: "cp_a", Error: "EAGAIN", Cannot: []Notice{}}},
		{"a snapshot with a claim of its own", KindStanding, `{"checkpoint":"cp_a","error":"","cannot":[],"pid":7}`, &Standing{}, nil},
		{"an interpreter is up", KindUp, `{"checkpoint":"cp_a","lost":[]}`, &Up{}, &Up{Checkpoint: "cp_a", Lost: []Notice{}}},
		{"an interpreter that names its cause", KindUp, `{"checkpoint":"cp_a","lost":[],"cause":"oom_kill"}`, &Up{}, nil},
		{
			"variables", KindAnswer,
			`{"id":3,"variables":[{"name":"df","type":"DataFrame","shape":"344 × 8","bytes":22016}],"matches":[],"start":0,"end":0,"finished":false,"indent":""}`,
			&Answer{}, &Answer{ID: 3, Variables: []Variable{{"df", "DataFrame", "344 × 8", 22016}}, Matches: []string{}},
		},
		{"an answer to nothing", KindAnswer, `{"id":-1}`, &Answer{}, nil},
		{"a size that is no number", KindAnswer, `{"id":1,"variables":[{"name":"x","bytes":"many"}]}`, &Answer{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(frame(test.kind, test.payload)))
			kind, payload, err := r.Next()
			if err != nil || kind != test.kind {
				t.Fatalf("read %q, %v", byte(kind), err)
			}
			err = Decode(payload, test.into)
			switch {
			case test.want == nil && !errors.Is(err, ErrProtocol):
				t.Errorf("decoded as %+v, %v, want a protocol error", test.into, err)
			case test.want != nil && (err != nil || !reflect.DeepEqual(test.into, test.want)):
				t.Errorf("decoded as %+v, %v, want %+v", test.into, err, test.want)
			}
			if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("after the frame comes %v, want its end", err)
			}
		})
	}
}

func TestM40_AnAnswerHasABound(t *testing.T) {
	answer := func(variables, matches int) []byte {
		list := func(n int, of string) string { return strings.TrimSuffix(strings.Repeat(of+",", n), ",") }
		return []byte(`{"id":1,"variables":[` + list(variables, `{"name":"a,b"}`) + `],"matches":[` + list(matches, `"x,y"`) + `]}`)
	}
	for _, test := range []struct {
		variables, matches int
		ok                 bool
	}{{MaxAnswers, 0, true}, {MaxAnswers / 2, MaxAnswers / 2, true}, {MaxAnswers + 2, 0, false}, {MaxAnswers / 2, MaxAnswers/2 + 3, false}} {
		var a Answer
		if err := Decode(answer(test.variables, test.matches), &a); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrProtocol) {
			t.Errorf("%d variables and %d matches: %v, want ok %t", test.variables, test.matches, err, test.ok)
		}
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	for _, seed := range []string{`{"id":1,"variables":[{"name":"x"}],"matches":["a"]}`, `{"id":1,"matches":[[]]}`, `{"variables":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var a Answer
		if Decode(payload, &a) == nil && (deeper(payload) || len(a.Variables)+len(a.Matches) > MaxAnswers+2) {
			t.Fatal("an answer over the bounds was decoded")
		}
	})
}
