package abuse

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// mostOpened is how often one execution may have a function answer.
const mostOpened = 100

// calls are attempts on the one way out that a caller may open.
func calls() []Case {
	return []Case{{
		ID: "D126", Title: "calls beyond what was given", Boundary: "each call is one of a few, of a function that was given, held to its schema", Runs: 4,
		Attack: Program{File: "D126.py", Functions: []cellwall.Function{vault()}, Limits: cellwall.Limits{Timeout: 20 * time.Second}, Expect: Expect{
			Statuses: []cellwall.Status{cellwall.StatusOK, cellwall.StatusError, cellwall.StatusCrashed},
			Prints:   []string{"CHANNELS 1"}, Lacks: []string{"REACHED"}, Within: guard,
			Judge: func(o Outcome) []Problem {
				for line := range strings.Lines(o.Result.Stdout.Text) {
					var n int
					if _, err := fmt.Sscanf(line, "OPENED %d", &n); err == nil && (n > mostOpened || o.World.Run == 2 && n > 1) {
						return []Problem{Problem(fmt.Sprintf("the function answered %d times", n))}
					}
				}
				return nil
			},
		}},
		Control: Control{Harness: "harness_caller.py", Runs: 1, Shows: []string{"schema", "name", "number", "count"}},
		Sibling: Program{File: "sibling_call.py", Functions: []cellwall.Function{vault()}, Expect: Expect{Prints: []string{"ADMITTED opened 7 opened 8"}}},
	}}
}

// vault is a function that takes one number, and says so when it was given another thing.
func vault() cellwall.Function {
	type asked struct {
		N *int `json:"n"`
	}
	read := func(arguments json.RawMessage) (a asked, ok bool) {
		d := json.NewDecoder(bytes.NewReader(arguments))
		d.DisallowUnknownFields()
		return a, d.Decode(&a) == nil && a.N != nil
	}
	return cellwall.Function{
		Name: "vault", Description: "Opens.", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Check: func(arguments json.RawMessage) (json.RawMessage, string) {
			if _, ok := read(arguments); !ok {
				return nil, "n is one number"
			}
			return arguments, ""
		},
		Call: func(_ context.Context, c cellwall.Call) cellwall.Reply {
			said := "REACHED"
			if a, ok := read(c.Arguments); ok && c.Name == "vault" {
				said = fmt.Sprintf("opened %d", *a.N)
			}
			raw, err := json.Marshal(said)
			if err != nil {
				return cellwall.Reply{Failure: cellwall.CallFailed, Message: err.Error()}
			}
			return cellwall.Reply{Result: raw}
		},
	}
}
