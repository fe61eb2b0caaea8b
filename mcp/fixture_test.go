package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The fixture is the product's server with what the official runner of conformance
// asks for besides: tools, resources and prompts of its own names, which do what its
// scenarios say.

// fixture begins a session of it.
func fixture(context.Context, Caller, *http.Request) (Options, func(), error) {
	return Options{
		Toolbox: &scripted{}, besides: func(tool string) bool {
			return strings.HasPrefix(tool, "test_") || tool == "json_schema_2020_12_tool"
		},
		more: func(o *sdk.ServerOptions) {
			o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
				return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
			}
			o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
			o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
			o.Capabilities = nil
		},
		furnish: func(s *sdk.Server) {
			furnishTools(s)
			furnishInputs(s)
			furnishResources(s)
			furnishPrompts(s)
		},
	}, func() {}, nil
}

type toolHandler = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)

func says(format string, args ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func gives(content ...sdk.Content) toolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

func addTool(s *sdk.Server, name, schema string, do toolHandler) {
	if schema == "" {
		schema = `{"type":"object"}`
	}
	s.AddTool(&sdk.Tool{Name: name, Description: "Of a scenario of conformance", InputSchema: json.RawMessage(schema)}, do)
}

func decoded(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return raw
}

var (
	redDot  = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content."}}
}

func furnishTools(s *sdk.Server) {
	picture := &sdk.ImageContent{Data: redDot, MIMEType: "image/png"}
	for name, do := range map[string]toolHandler{
		"test_simple_text":            gives(&sdk.TextContent{Text: "This is a simple text response for testing."}),
		"test_image_content":          gives(picture),
		"test_audio_content":          gives(&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"}),
		"test_embedded_resource":      gives(embedded("test://embedded-resource")),
		"test_multiple_content_types": gives(&sdk.TextContent{Text: "Multiple content types test:"}, picture, embedded("test://mixed-content-resource")),
		"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			r := says("This tool intentionally returns an error for testing")
			r.IsError = true
			return r, nil
		},
		"test_tool_with_logging":     logs,
		"test_logging_tool":          logs,
		"test_tool_with_progress":    progresses,
		"test_streaming_elicitation": gives(&sdk.TextContent{Text: "only notifications came before this"}),
		"test_missing_capability":    needsSampling,
		"test_reconnection": func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if req.Extra != nil && req.Extra.CloseSSEStream != nil {
				req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
			}
			time.Sleep(100 * time.Millisecond) // until the client is back
			return says("Reconnection test completed"), nil
		},
		"test_trigger_tool_change": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			addTool(s, "test_transient", "", gives())
			return says("published"), nil
		},
		"test_trigger_prompt_change": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			s.AddPrompt(&sdk.Prompt{Name: "test_transient", Description: "comes and goes"}, promptOf(&sdk.TextContent{Text: "transient"}))
			return says("published"), nil
		},
	} {
		addTool(s, name, "", do)
	}
	addTool(s, "test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		gives(&sdk.TextContent{Text: "heard"}))
	addTool(s, "json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`, gives(&sdk.TextContent{Text: "called"}))
}

func logs(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		//nolint:staticcheck // the protocol deprecates logging, its runner asks for it
		if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return says("logged"), nil
}

func progresses(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, n := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return says("%v", token), nil
}

func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return says("the client can sample"), nil
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
}

func furnishResources(s *sdk.Server) {
	fixed := func(c sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := c
			c.URI = req.Params.URI
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
	}
	text := sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "static-text", Description: "text", MIMEType: "text/plain"}, fixed(text))
	s.AddResource(&sdk.Resource{URI: "test://watched-resource", Name: "watched-resource", Description: "watched", MIMEType: "text/plain"}, fixed(text))
	s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "static-binary", Description: "a picture", MIMEType: "image/png"},
		fixed(sdk.ResourceContents{MIMEType: "image/png", Blob: redDot}))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "a template", MIMEType: "application/json"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			c := sdk.ResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		})
}

func promptOf(content ...sdk.Content) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		r := &sdk.GetPromptResult{}
		for _, c := range content {
			r.Messages = append(r.Messages, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return r, nil
	}
}

func furnishPrompts(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "simple"}, promptOf(&sdk.TextContent{Text: "This is a simple prompt for testing."}))
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "with a picture"},
		promptOf(&sdk.ImageContent{Data: redDot, MIMEType: "image/png"}, &sdk.TextContent{Text: "Please analyze the image above."}))
	required := func(name string) *sdk.PromptArgument {
		return &sdk.PromptArgument{Name: name, Description: name, Required: true}
	}
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "with arguments", Arguments: []*sdk.PromptArgument{required("arg1"), required("arg2")}},
		func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			a := req.Params.Arguments
			return promptOf(&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])})(ctx, req)
		})
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "with a resource", Arguments: []*sdk.PromptArgument{required("resourceUri")}},
		func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return promptOf(embedded(req.Params.Arguments["resourceUri"]), &sdk.TextContent{Text: "Please process the embedded resource above."})(ctx, req)
		})
}
