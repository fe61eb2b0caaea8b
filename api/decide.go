package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cellwall/cellwall"
)

type (
	decideIn struct {
		ID   string `path:"id" maxLength:"64"`
		Body *struct {
			Comment string `json:"comment,omitempty" maxLength:"2000" doc:"For whoever asked; a model reads it too"`
		}
	}
	editIn struct {
		ID   string `path:"id" maxLength:"64"`
		Body editBody
	}
)

// editBody is what is to run instead.
type editBody struct {
	Code      string          `json:"code,omitempty" doc:"Of an execution, a cell or run_python"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"Of the call of a tool, all of them"`
	Comment   string          `json:"comment,omitempty" maxLength:"2000"`
}

func (in *decideIn) comment() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Comment
}

func (s *Server) approve(ctx context.Context, in *decideIn) (*approvalOut, error) {
	return s.decide(ctx, in.ID, cellwall.ApprovalApproved, in.comment(), nil)
}

func (s *Server) reject(ctx context.Context, in *decideIn) (*approvalOut, error) {
	return s.decide(ctx, in.ID, cellwall.ApprovalRejected, in.comment(), nil)
}

// editApproval approves what a person has changed before.
func (s *Server) editApproval(ctx context.Context, in *editIn) (*approvalOut, error) {
	return s.decide(ctx, in.ID, cellwall.ApprovalEdited, in.Body.Comment, func(a *cellwall.Approval) error {
		return s.edit(a, in.Body)
	})
}

// decide is one person's word on what waits.
func (s *Server) decide(
	ctx context.Context, id string, state cellwall.ApprovalState, comment string, change func(*cellwall.Approval) error,
) (*approvalOut, error) {
	who := callerOf(ctx)
	a, err := s.opts.Approvals.Approval(ctx, who.Tenant, id)
	switch {
	case err != nil:
		return nil, err
	case !a.MayDecide(who):
		return nil, &cellwall.Error{
			Code: cellwall.CodeForbidden, Op: "decide", Err: errors.New("whoever asked does not decide"), Hint: "use another key of the tenant, or one with the scope admin",
		}
	case a.State != cellwall.ApprovalWaiting, !time.Now().Before(a.Expires):
		return nil, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "decide", Err: errors.New("somebody has decided it already, or its time is over"), Hint: "look at it again",
		}
	}
	if change != nil {
		if err := change(&a); err != nil {
			return nil, err
		}
	}
	a.State, a.Decided, a.DecidedAt, a.Comment, a.Call = state, who, time.Now().UTC(), comment, callID(ctx)
	if err := s.decided(ctx, a); err != nil {
		return nil, err
	}
	callOf(ctx).ran.Store(true) // it has a record of its own
	return &approvalOut{viewApproval(ctx, a)}, nil
}

// edit puts other code, or other arguments, into what waits.
func (s *Server) edit(a *cellwall.Approval, to editBody) error {
	if (to.Code == "") == (to.Arguments == nil) {
		return badEdit("give code, or arguments")
	}
	switch {
	case a.Kind == cellwall.ApprovalTool:
		return s.editCall(a, to)
	case a.Kind != cellwall.ApprovalExecution:
		return badEdit("that of which there is no code cannot be edited; approve or reject it")
	case to.Code == "":
		return badEdit("an execution has no arguments: give code")
	}
	var was asked
	if err := json.Unmarshal(a.Request, &was); err != nil {
		return fmt.Errorf("read kept request: %w", err)
	}
	switch {
	case was.Body != nil:
		was.Body.Code = to.Code
	case was.Cell != nil:
		was.Cell.Code = to.Code
	}
	if err := checkCodeSize(to.Code); err != nil {
		return err
	}
	request, err := json.Marshal(was)
	a.Request, a.Code = request, to.Code
	return err
}

// editCall is edit of a tool's call: the schema holds for a person too.
func (s *Server) editCall(a *cellwall.Approval, to editBody) error {
	var call ToolCall
	if err := json.Unmarshal(a.Request, &call); err != nil {
		return fmt.Errorf("read kept call: %w", err)
	}
	if to.Code != "" {
		fields := map[string]any{}
		if err := json.Unmarshal(call.Arguments, &fields); err != nil || fields["code"] == nil {
			return badEdit("this tool takes no code: give arguments")
		}
		fields["code"] = to.Code
		raw, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		to.Arguments = raw
	}
	if faults := s.opts.Toolboxes.Check(call.Tool, to.Arguments, call.Language); len(faults) > 0 {
		return badEdit(faults[0].Field + ": " + faults[0].Problem)
	}
	call.Arguments = to.Arguments
	request, err := json.Marshal(call)
	a.Request, a.Code = request, codeIn(to.Arguments)
	return err
}

// codeIn is the program among the arguments of a call.
func codeIn(arguments json.RawMessage) string {
	var has struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(arguments, &has) != nil {
		return ""
	}
	return has.Code
}

func badEdit(why string) error {
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "edit", Err: errors.New(why)}
}
