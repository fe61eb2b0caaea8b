package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerTools() {
	if s.opts.Toolboxes == nil {
		return
	}
	handle(s, "listTools", s.listTools)
	handle(s, "callTool", s.callTool, func(op *huma.Operation) {
		responds(op, http.StatusAccepted, "It waits for a person", "application/json", schemaOf[ToolAnswer](s))
	})
}

type (
	toolsIn struct {
		Session  string `query:"session" required:"true" maxLength:"64" doc:"Id of the session"`
		Language string `header:"Accept-Language" maxLength:"200"`
	}
	toolsOut struct{ Body ToolOffers }

	toolIn struct {
		Name     string `path:"name" maxLength:"64"`
		Language string `header:"Accept-Language" maxLength:"200"`
		Body     toolBody
	}
	toolOut struct {
		Status   int
		Location string `header:"Location"`
		Body     ToolAnswer
	}
)

// toolBody is a call. Of its arguments the tool's own schema decides.
type toolBody struct {
	Session    string            `json:"session" maxLength:"64"`
	Arguments  json.RawMessage   `json:"arguments" doc:"As the model wrote them; the schema of the tool says what they hold"`
	Question   string            `json:"question,omitempty" maxLength:"4000" doc:"A new question of the user's: what is offered is decided anew with it"`
	HumanCheck bool              `json:"human_check,omitempty" doc:"Where two programs have failed: have a person look at this call instead of refusing it"`
	TokenCost  float64           `json:"token_cost,omitempty" minimum:"0" maximum:"1000000000" doc:"What you paid for the call, in your own unit"`
	Metadata   map[string]string `json:"metadata,omitempty" doc:"Your own, at most 16 texts of 512 bytes: recorded and given back"`
}

// listTools says what a model may call in a session now.
func (s *Server) listTools(ctx context.Context, in *toolsIn) (*toolsOut, error) {
	offers, err := s.opts.Toolboxes.Offers(ctx, callerOf(ctx), sessionID(in.Session), languageOf(in.Language))
	if err != nil {
		return nil, err
	}
	return &toolsOut{offers}, nil
}

// callTool makes a call. A refused one is an answer, for the model to read.
func (s *Server) callTool(ctx context.Context, in *toolIn) (*toolOut, error) {
	if err := checkMetadata(in.Body.Metadata); err != nil {
		return nil, err
	}
	answer, err := s.opts.Toolboxes.Call(ctx, callerOf(ctx), ToolCall{
		Session: sessionID(in.Body.Session), Tool: in.Name, Arguments: in.Body.Arguments, Question: in.Body.Question,
		Language: languageOf(in.Language), Execution: reservedID(ctx), Trace: callID(ctx), TokenCost: in.Body.TokenCost,
		HumanCheck: in.Body.HumanCheck, Metadata: in.Body.Metadata,
	})
	if err != nil {
		return nil, err
	}
	callOf(ctx).ran.Store(true) // it has a record of its own
	out := &toolOut{Status: http.StatusOK, Body: answer}
	if answer.Approval != "" {
		out.Status, out.Location = http.StatusAccepted, "/v1/approvals/"+answer.Approval
	}
	return out, nil
}

// sessionID is an id that can be one; "" is found nowhere, and takes as long.
func sessionID(id string) string {
	if !cellwall.ValidID(cellwall.PrefixSession, id) {
		return ""
	}
	return id
}
