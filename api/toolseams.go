package api

import (
	"context"
	"encoding/json"

	"github.com/cellwall/cellwall"
)

// Toolboxes are the tools that a model is given in each session, and how far the
// conversation there has come: that outlives the service. cmd joins packages tools,
// session and store to it. To every tenant but its own a session is CodeNotFound,
// and so is one that was ended.
type Toolboxes interface {
	// Offers says which tools may be called now, and why. language is "en", "zh" or
	// "" for the tenant's.
	Offers(ctx context.Context, who cellwall.Identity, session, language string) (ToolOffers, error)
	// Call judges a call and has it run. What the router or a schema refuses is an
	// answer; an error is ours, or an admission's. Calls of one session wait for each
	// other.
	Call(ctx context.Context, who cellwall.Identity, c ToolCall) (ToolAnswer, error)
	// Decided makes a call that a person has decided on, or ends it: the request of the
	// approval is the ToolCall.
	Decided(ctx context.Context, a cellwall.Approval) (ToolAnswer, error)
	// Check says what of arguments the schema of a tool does not take.
	Check(tool string, arguments json.RawMessage, language string) []ToolFault
}

// ToolOffers are the tools of a session as they stand now.
type ToolOffers struct {
	Session string         `json:"session"`
	Stage   string         `json:"stage" enum:"new,simple,steps,closed,stuck,waiting,stopped" doc:"Where the session stands: what is offered follows from it alone"`
	Live    bool           `json:"live" doc:"Whether its interpreter lives: run_python is a cell of it then, and else a program of its own on the same data"`
	Stop    *cellwall.Stop `json:"stop,omitempty" doc:"The budget that is used up"`
	Tools   []ToolOffer    `json:"tools"`
}

// ToolOffer is one tool as a model is told of it, and whether it may be called.
type ToolOffer struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema" doc:"Of its arguments: JSON Schema, draft 2020-12"`
	ReadOnly    bool            `json:"read_only"`
	Offered     bool            `json:"offered"`
	Why         string          `json:"why" doc:"Why it is offered, or not"`
}

// ToolCall is a call as a model makes it, with what its caller says beside.
type ToolCall struct {
	Session    string
	Tool       string
	Arguments  json.RawMessage
	Question   string // new, of the user's: the router begins anew with it; "" = the one before
	Language   string // of what the model is told; "" = the tenant's
	Execution  string // id to run it under; "" = a new one
	Trace      string // id of the call of the API
	TokenCost  float64
	HumanCheck bool // where the session is stuck, have a person look at it instead of refusing
	Unheard    bool // nobody tells when the user speaks again, as in MCP
	Metadata   map[string]string
	Sink       cellwall.Sink `json:"-"` // hears of what runs; nil = nobody
}

// ToolAnswer is what became of a call.
type ToolAnswer struct {
	ID          string           `json:"id" doc:"Of the call, in the audit"`
	Session     string           `json:"session"`
	Tool        string           `json:"tool"`
	OK          bool             `json:"ok"`
	Stage       string           `json:"stage" enum:"new,simple,steps,closed,stuck,waiting,stopped" doc:"Where the session stands now"`
	Offered     []string         `json:"offered" doc:"What may be called now"`
	Observation json.RawMessage  `json:"observation" doc:"What the model is told"`
	Result      *cellwall.Result `json:"result,omitempty" doc:"Of what ran; left out when nothing did"`
	Refused     *ToolRefusal     `json:"refused,omitempty" doc:"Why it is not offered, and which tool would do it"`
	Faults      []ToolFault      `json:"faults,omitempty" doc:"What of its arguments the schema does not take"`
	Approval    string           `json:"approval,omitempty" doc:"It waits for a person: ask at /v1/approvals/ and this id"`
}

// ToolRefusal is the answer to a call that is not offered.
type ToolRefusal struct {
	Tool    string `json:"tool"`
	Stage   string `json:"stage"`
	Reason  string `json:"reason"`
	Instead string `json:"instead,omitempty" doc:"The tool that would do it now"`
	Next    string `json:"next" doc:"What to do, in words"`
}

// ToolFault is one thing that is wrong with the arguments of a call.
type ToolFault struct {
	Field   string `json:"field" doc:"Empty: the whole"`
	Problem string `json:"problem"`
}
