package cellwall

import (
	"context"
	"encoding/json"
)

// Function is something outside of the wall that code inside may call, as
// tools.<Name>(...): the wall has no network, so that this is the only way out, and
// each call is checked, counted and recorded on this side of it.
type Function struct {
	Name        string          // see ValidFunctionName
	Description string          // for who reads help(tools.<Name>)
	Parameters  json.RawMessage // JSON Schema (draft 2020-12) of an object: the arguments by name

	// Nested: it runs an execution of its own. Its calls are given Inputs, and come one at a
	// time: they run on the turn of the execution that waits for them.
	Nested bool
	// Outside: what it is told leaves the service, so that personal data are masked in
	// arguments where the tenant's terms say so.
	Outside bool

	// Check holds arguments to Parameters. checked is what Call is given; problem
	// says what to change, "" = nothing. It must not wait.
	Check func(arguments json.RawMessage) (checked json.RawMessage, problem string)
	// Call answers one call. It may run for several calls at once, and is not waited
	// for when its ctx has ended: at the end of the execution at the latest.
	Call func(context.Context, Call) Reply
}

// Call is one call of a Function out of a sandbox. Arguments are hostile: bounded,
// held to the schema, never trusted.
type Call struct {
	Execution string
	Session   string // "" = none
	Number    uint64 // 1 is the execution's first
	Name      string
	Arguments json.RawMessage // an object

	Identity      Identity
	Inputs        []Input // of the execution, for Nested; open until Call has returned
	Limits        Limits  // of the execution
	Backend       string
	Language      string
	AllowDegraded bool
}

// CallFailure is why a call came to nothing, "" when it did not.
type CallFailure string

// The reasons, each an exception of its own inside.
const (
	CallUnknown   CallFailure = "unknown"   // there is no such function
	CallArguments CallFailure = "arguments" // they do not hold to the schema
	CallRefused   CallFailure = "refused"   // a bound of the execution is reached
	CallBusy      CallFailure = "busy"      // there is no room now; another try may succeed
	CallTimeout   CallFailure = "timeout"   // it took too long
	CallFailed    CallFailure = "failed"    // the function's own word
	CallEnded     CallFailure = "ended"     // the execution was over first
)

// Reply is what a call gives back: a result, or a Failure with a Message for whoever
// wrote the code. Both go into the sandbox as they are.
type Reply struct {
	// Result is one JSON value. With Table it is a table: {"columns": [{"name", "dtype",
	// "values": [...]}]}, which arrives as a DataFrame.
	Result  json.RawMessage
	Table   bool
	Failure CallFailure
	Message string
}

// Caller answers the calls of one execution, several at once, and returns soon after
// ctx has ended.
type Caller func(context.Context, Call) Reply

// Bounds of calls.
const (
	MaxFunctions     = 64        // of one execution
	MaxFunctionBytes = 16 << 10  // of one function's parameters and description together
	MaxCallBytes     = 256 << 10 // arguments of one call
	MaxReplyBytes    = 8 << 20   // result of one call
	MaxCallsAtOnce   = 8         // of one execution

	maxFunctionName = 64
)

// pythonWords are names that no attribute can be written with, as far as they begin
// with a small letter.
var pythonWords = map[string]bool{
	"and": true, "as": true, "assert": true, "async": true, "await": true, "break": true, "class": true, "continue": true,
	"def": true, "del": true, "elif": true, "else": true, "except": true, "finally": true, "for": true, "from": true,
	"global": true, "if": true, "import": true, "in": true, "is": true, "lambda": true, "nonlocal": true, "not": true,
	"or": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
}

// ValidFunctionName reports whether code can write tools.<name>: a small letter, then
// small letters, digits and underscores, 64 at most, and no word of Python's own.
func ValidFunctionName(name string) bool {
	if name == "" || len(name) > maxFunctionName || pythonWords[name] || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := 1; i < len(name); i++ {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
