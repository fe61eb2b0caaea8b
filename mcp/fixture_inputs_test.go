package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What asks a client, or its user, while a call is under way: by requests of the
// server's until 2025-11-25, by results that need input since.

func form(properties string, required ...string) json.RawMessage {
	raw, err := json.Marshal(append([]string{}, required...))
	if err != nil {
		panic(err)
	}
	return json.RawMessage(`{"type":"object","properties":` + properties + `,"required":` + string(raw) + `}`)
}

func question(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: form(`{"`+field+`":{"type":"`+kind+`"}}`, field)}
}

func sampling(text string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}

// elicits asks the user by a request of the server's.
func elicits(properties string, required ...string) toolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var asked struct{ Message string }
		_ = json.Unmarshal(req.Params.Arguments, &asked)
		r, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "asked: " + asked.Message, RequestedSchema: form(properties, required...)})
		if err != nil {
			return nil, err
		}
		return says("Elicitation result: action=%s, content=%v", r.Action, r.Content), nil
	}
}

func samples(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var asked struct{ Prompt string }
	_ = json.Unmarshal(req.Params.Arguments, &asked)
	r, err := req.Session.CreateMessage(ctx, sampling(asked.Prompt)) //nolint:staticcheck // the runner asks for it
	if err != nil {
		return nil, err
	}
	return says("LLM response: %v", r.Content), nil
}

// accepted is a field of what the user said yes to.
func accepted(responses sdk.InputResponseMap, key, field string) (any, bool) {
	r, ok := responses[key].(*sdk.ElicitResult)
	if !ok || r == nil || r.Action != "accept" {
		return nil, false
	}
	return r.Content[field], true
}

func sampled(responses sdk.InputResponseMap, key string) bool {
	r, ok := responses[key].(*sdk.CreateMessageWithToolsResult)
	return ok && r != nil
}

func rooted(responses sdk.InputResponseMap) bool {
	r, ok := responses["client_roots"].(*sdk.ListRootsResult)
	return ok && r != nil
}

// until asks for input until there is enough.
func until(enough func(sdk.InputResponseMap) bool, state string, ask sdk.InputRequestMap) toolHandler {
	return func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		p := req.Params
		if state != "" && p.RequestState != "" && p.RequestState != state {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state is not ours"}
		}
		if enough(p.InputResponses) && p.RequestState == state {
			return says("state-ok: %v", p.InputResponses), nil
		}
		return &sdk.CallToolResult{InputRequests: ask, RequestState: state}, nil
	}
}

func named(r sdk.InputResponseMap) bool {
	name, ok := accepted(r, "user_name", "name")
	return ok && name != nil && name != ""
}

func confirmed(r sdk.InputResponseMap) bool { _, ok := accepted(r, "confirm", "ok"); return ok }

func furnishInputs(s *sdk.Server) {
	name, confirm := question("What is your name?", "name", "string"), question("Please confirm", "ok", "boolean")
	for tool, do := range map[string]toolHandler{
		"test_sampling":    samples,
		"test_elicitation": elicits(`{"username":{"type":"string"}}`, "username"),
		"test_elicitation_sep1034_defaults": elicits(`{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
			"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
			"verified":{"type":"boolean","default":true}}`),
		"test_elicitation_sep1330_enums": elicits(`{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option One","Option Two"]},
			"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2"]}},
			"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]}}}`),

		"test_input_required_result_elicitation": until(named, "", sdk.InputRequestMap{"user_name": name}),
		"test_input_required_result_sampling": until(func(r sdk.InputResponseMap) bool { return sampled(r, "capital_question") }, "",
			sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")}),
		"test_input_required_result_list_roots":     until(rooted, "", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}),
		"test_input_required_result_request_state":  until(confirmed, "request_state", sdk.InputRequestMap{"confirm": confirm}),
		"test_input_required_result_tampered_state": until(confirmed, "tampered_state", sdk.InputRequestMap{"confirm": confirm}),
		"test_input_required_result_multiple_inputs": until(func(r sdk.InputResponseMap) bool { return named(r) && sampled(r, "greeting") && rooted(r) }, "multiple_inputs",
			sdk.InputRequestMap{"user_name": name, "greeting": sampling("Generate a greeting"), "client_roots": &sdk.ListRootsParams{}}),
		"test_input_required_result_multi_round":  rounds,
		"test_input_required_result_capabilities": capable,
	} {
		addTool(s, tool, "", do)
	}
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "asks for context"},
		func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			if text, ok := accepted(req.Params.InputResponses, "user_context", "context"); ok {
				return promptOf(&sdk.TextContent{Text: fmt.Sprint("Context: ", text)})(ctx, req)
			}
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": question("Please provide context", "context", "string")}}, nil
		})
}

// rounds asks twice; the state says how far it is, and what was said first.
func rounds(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	const second = "round=2;name="
	switch state := req.Params.RequestState; {
	case state == "":
		return &sdk.CallToolResult{RequestState: "round=1", InputRequests: sdk.InputRequestMap{"step1": question("Your name?", "name", "string")}}, nil
	case state == "round=1":
		name, _ := accepted(req.Params.InputResponses, "step1", "name")
		return &sdk.CallToolResult{RequestState: fmt.Sprint(second, name), InputRequests: sdk.InputRequestMap{"step2": question("Your color?", "color", "string")}}, nil
	default:
		color, _ := accepted(req.Params.InputResponses, "step2", "color")
		return says("%s likes %v", strings.TrimPrefix(state, second), color), nil
	}
}

// capable asks only for what the client says it can do.
func capable(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return says("fulfilled"), nil
	}
	ask := sdk.InputRequestMap{}
	if caps := req.ClientCapabilities(); caps != nil {
		if caps.Elicitation != nil {
			ask["user_name"] = question("What is your name?", "name", "string")
		}
		if caps.Sampling != nil {
			ask["greeting"] = sampling("Generate a greeting")
		}
		if caps.RootsV2 != nil {
			ask["client_roots"] = &sdk.ListRootsParams{}
		}
	}
	if len(ask) == 0 {
		return says("the client can do nothing of it"), nil
	}
	return &sdk.CallToolResult{InputRequests: ask}, nil
}
