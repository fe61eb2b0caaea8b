package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
)

// calls turns calls of tools away that there are not, and leaves out of a list what
// is not offered.
func (s *Session) calls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if ok && !s.knows(call.Params.Name) && (s.opts.besides == nil || !s.opts.besides(call.Params.Name)) {
			return nil, s.unknown(call.Params.Name)
		}
		result, err := next(ctx, method, req)
		if err != nil && errors.Is(err, context.Canceled) {
			return nil, &jsonrpc.Error{Code: codeCancelled, Message: "the request was cancelled"}
		}
		if list, ok := result.(*sdk.ListToolsResult); ok && err == nil {
			return s.offered(list), nil
		}
		return result, err
	}
}

// codeCancelled is the code of an answer to a request that was cancelled, which a client
// may ignore. Over lines there is none ([lines.Write]); over HTTP the SDK ends the stream
// of a request by its answer, and without one it would stay open. The protocol has no code
// for it: this is the one of the language servers' protocol.
const codeCancelled = -32800

// unknown is the answer to a call of a tool that there is not.
func (s *Session) unknown(name string) error {
	var offered []string
	for _, o := range s.opts.Toolbox.Offers() {
		if o.Offered {
			offered = append(offered, o.Tool)
		}
	}
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: fmt.Sprintf("unknown tool %q; offered now: %s", shown(name, mostName), strings.Join(offered, ", ")),
	}
}

// call makes one call: in its turn, with progress, until the client or the session
// ends it.
func (s *Session) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	leave, err := s.place()
	if err != nil {
		return s.failed(err), nil
	}
	defer leave()
	began, p := time.Now(), s.report(ctx, req)
	defer p.stop()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.runs()
	arguments := req.Params.Arguments
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	outcome, err := s.caught(func() (Outcome, error) { return s.opts.Toolbox.Call(ctx, req.Params.Name, arguments) })
	p.stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.offer()
	s.tell(ctx, req, outcome, err, time.Since(began))
	if err != nil {
		return s.failed(err), nil
	}
	return s.result(ctx, outcome), nil
}

// caught makes a call, and an error of its panic: the SDK has a goroutine for each, where
// that would end the service.
func (s *Session) caught(do func() (Outcome, error)) (o Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.Error("a tool panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("call tool: it panicked: %v", p)
		}
	}()
	return do()
}

// place takes one of the client's places, for what runs or waits.
func (s *Session) place() (leave func(), err error) {
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	default:
		return nil, &cellwall.Error{
			Code: cellwall.CodeBusy, Op: "answer", Err: fmt.Errorf("%d requests of this client run or wait already", mostCalls), Hint: "wait for their answers",
		}
	}
}

// shown is a name that somebody else chose, as it may be written down.
func shown(name string, most int) string {
	name = strings.Map(printable, strings.ToValidUTF8(name, "�"))
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// mostName is how much of such a name is shown, in characters.
const mostName = 128
