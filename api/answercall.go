package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// answerBody is the answer to a call: one of its fields.
type answerBody struct {
	Result any          `json:"result,omitempty" doc:"Any JSON value: what tools.<name>(...) returns"`
	Table  *answerTable `json:"table,omitempty" doc:"A table: it returns a DataFrame"`
	Error  string       `json:"error,omitempty" maxLength:"4000" doc:"It raises tools.ToolError with this text"`
}

type answerTable struct {
	Columns []answerColumn `json:"columns" maxItems:"10000" nullable:"false"`
}

type answerColumn struct {
	Name   string `json:"name"`
	DType  string `json:"dtype,omitempty" doc:"Of pandas: int64, float64, bool, str, datetime64[us] …; left out: as the values are"`
	Values []any  `json:"values" nullable:"false"`
}

func (s *Server) registerCalls() {
	if s.opts.Functions == nil {
		return
	}
	raw(s, "answerCall", s.answerCall, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixExecution)
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "call", In: "path", Required: true, Schema: &huma.Schema{Type: "integer", Minimum: new(float64)},
			Description: "The id of the event call",
		})
		takes(op, "application/json", schemaOf[answerBody](s))
		responds(op, http.StatusNoContent, "It is on its way into the sandbox", "", nil)
	})
}

// answerCall gives the answer to a call out of a sandbox.
func (s *Server) answerCall(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.ParseUint(r.PathValue("call"), 10, 64)
	if err != nil || !cellwall.ValidID(cellwall.PrefixExecution, r.PathValue("id")) {
		return nobodyAsks()
	}
	if media, _, err := mediaType(r); err != nil || media != "" && media != "application/json" {
		return errors.Join(err, unsupported("application/json"))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	reply, err := replyOf(body)
	if err != nil {
		return err
	}
	if err := s.questions.answer(question{callerOf(r.Context()).Tenant, r.PathValue("id"), number}, reply); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// replyOf reads an answer. What it says goes into the sandbox as it came: it is only
// looked at whether it is one value, and which.
func replyOf(body []byte) (r cellwall.Reply, err error) {
	var said struct {
		Result json.RawMessage `json:"result"`
		Table  json.RawMessage `json:"table"`
		Error  *string         `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if !utf8.Valid(body) || d.Decode(&said) != nil || d.More() {
		return r, malformed("it is no object of result, table or error")
	}
	given := 0
	if said.Result != nil {
		given++
		r.Result = said.Result
	}
	if said.Table != nil {
		given++
		r.Result, r.Table = said.Table, true
	}
	if said.Error != nil {
		given++
		r.Failure, r.Message = cellwall.CallFailed, *said.Error
	}
	if given != 1 {
		return r, malformed("give one of result, table and error")
	}
	return r, nil
}
