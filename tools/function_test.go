package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/tools"
)

const lookup = `{"type":"object","additionalProperties":false,"required":["city"],"properties":{
	"city":{"type":"string","maxLength":20},"days":{"type":"integer","minimum":1,"maximum":7},"at":{"$ref":"#/$defs/place"}},
	"$defs":{"place":{"type":"object","properties":{"x":{"type":"number"}},"additionalProperties":false}}}`

func TestM50_ArgumentsHoldToTheSchemaOfTheirFunction(t *testing.T) {
	f, err := tools.NewFunction("lookup", "Looks up.", json.RawMessage(lookup), tools.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"city":"上海"}`:                        "",
		`{"city":"a","days":7,"at":{"x":1.5}}`: "",
		`{}`:                                   "city: is required",
		`{"city":1}`:                           "city: is of type number, must be string",
		`{"city":"a","days":0}`:                "days: is 0, at least 1",
		`{"city":"a","town":"b"}`:              "town: is not a field of lookup; leave it out (fields: at, city, days)",
		`{"city":"a","at":{"y":1}}`:            "at.y: is not a field of lookup; leave it out",
		`{"city":"a"} {}`:                      "not one JSON object",
		`{"city":"a","at":{"x":1e999999}}`:     "no number that can be computed with",
		`{"city":"a","at":{"x":-1e-999999}}`:   "no number that can be computed with",
		`{"city":"a","at":{"x":` + strings.Repeat("1", 100) + `}}`:      "no number that can be computed with",
		`{"city":"` + strings.Repeat("a", cellwall.MaxCallBytes) + `"}`: "more than 262144 bytes",
	} {
		checked, problem := f.Check(json.RawMessage(arguments))
		if want == "" && (problem != "" || !json.Valid(checked)) || !strings.Contains(problem, want) || want != "" && checked != nil {
			t.Errorf("%.80s: %q %q, want %q", arguments, checked, problem, want)
		}
	}
}

// What is checked and what is passed on are one text, whoever reads it.
func TestM50_WhatIsPassedOnIsWhatWasChecked(t *testing.T) {
	f, err := tools.NewFunction("lookup", "", json.RawMessage(lookup), tools.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"city":"a","city":"b"}`:           `{"city":"b"}`,
		" {\"city\" :\t\"\\u0061\"}\n":      `{"city":"a"}`,
		`{"days":1.0,"city":"</script>"}`:   `{"city":"\u003c/script\u003e","days":1.0}`,
		`{"city":"a","days":1,"days":"no"}`: "",
	} {
		if checked, problem := f.Check(json.RawMessage(arguments)); string(checked) != want {
			t.Errorf("%s is passed on as %s (%s), want %s", arguments, checked, problem, want)
		}
	}
}

func TestM50_ASchemaThatCannotBeHeldToIsRefused(t *testing.T) {
	nested := func(n int) string { // each level refers to the next one twice: 2^n schemas
		defs := make([]string, n)
		for i := range defs {
			defs[i] = fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
		}
		return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, n)
	}
	for name, schema := range map[string]string{
		"no JSON":                      `{`,
		"a list":                       `[]`,
		"true":                         `true`,
		"no object":                    `{"type":"string"}`,
		"no type":                      `{}`,
		"an unknown type":              `{"type":"object","properties":{"a":{"type":"date"}}}`,
		"a pattern that is none":       `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`,
		"another draft":                `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"exclusiveMinimum":true}}}`,
		"a reference outside":          `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`,
		"a reference to a file":        `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"a reference to nothing":       `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`,
		"one that refers to itself":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"items":{"$ref":"#/$defs/b"}}}}`,
		"a name of its own":            `{"type":"object","$id":"https://example.com/"}`,
		"a moving reference":           `{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`,
		"one that grows":               nested(40),
		"a number of a million digits": `{"type":"object","properties":{"a":{"minimum":1e999999}}}`,
		"too long":                     `{"type":"object","description":"` + strings.Repeat("x", cellwall.MaxFunctionBytes) + `"}`,
	} {
		began := time.Now()
		_, err := tools.NewFunction("f", "", json.RawMessage(schema), tools.English, nil)
		if cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if _, err := tools.NewFunction("f", "", json.RawMessage(nested(6)), tools.English, nil); err != nil {
		t.Errorf("a schema with a few references: %v", err)
	}
	if _, err := tools.NewFunction("f.g", "", json.RawMessage(lookup), tools.English, nil); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("a name that no code can write: %v", err)
	}
}

// FuzzWeigh looks for a schema that is taken and costs too much, to compile or to hold
// arguments to.
func FuzzWeigh(f *testing.F) {
	f.Add(lookup, `{"city":"a"}`)
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"anyOf":[{"$ref":"#/properties/a"}]}}}`, `{"a":[]}`)
	f.Add(`{"type":"object","patternProperties":{"^a+$":{"uniqueItems":true}}}`, `{"aa":[1,1.0,1e0]}`)
	f.Add(`{"type":"object","unevaluatedProperties":{"multipleOf":1e-300}}`, `{"aa":1e300}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		if len(schema) > cellwall.MaxFunctionBytes || len(arguments) > 64<<10 {
			return
		}
		began := time.Now()
		made, err := tools.NewFunction("f", "", json.RawMessage(schema), tools.English, nil)
		if err == nil {
			if checked, problem := made.Check(json.RawMessage(arguments)); (checked == nil) == (problem == "") {
				t.Errorf("%q and %q", checked, problem)
			}
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q and %q took %v", schema, arguments, took)
		}
	})
}

// A schema of many ways to fail, and arguments that fail in all of them.
func TestM50_ToCheckArgumentsCostsLittle(t *testing.T) {
	ways := strings.TrimSuffix(strings.Repeat(`{"type":"null"},`, 900), ",")
	f, err := tools.NewFunction("f", "", json.RawMessage(`{"type":"object","properties":{"a":{"items":{"anyOf":[`+ways+`]}}}}`), tools.English, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, items := range []int{140, 100_000} {
		arguments := json.RawMessage(`{"a":[` + strings.TrimSuffix(strings.Repeat("1,", items), ",") + `]}`)
		began := time.Now()
		_, problem := f.Check(arguments)
		took := time.Since(began)
		if problem == "" || took > 10*time.Second {
			t.Errorf("%d items: %q after %v", items, problem, took)
		}
		t.Logf("%d items: %v", items, took)
	}
}
