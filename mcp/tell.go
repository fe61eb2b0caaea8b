package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall"
)

// told is one line of the log that a client may ask for.
type told struct {
	Tool      string             `json:"tool"`
	OK        bool               `json:"ok"`
	Execution string             `json:"execution,omitempty"`
	Artifacts int                `json:"artifacts,omitempty"`
	Error     cellwall.ErrorCode `json:"error,omitempty"`
	TookMS    int64              `json:"took_ms"`
}

// tell logs how a call ended, to the client at the level that it has set.
func (s *Session) tell(ctx context.Context, req *sdk.CallToolRequest, o Outcome, err error, took time.Duration) {
	line := told{Tool: req.Params.Name, OK: o.OK, Execution: o.Execution, Artifacts: len(o.Artifacts), TookMS: took.Milliseconds()}
	var level sdk.LoggingLevel = "info"
	switch {
	case err != nil:
		line.Error, level = cellwall.CodeOf(err), "error"
	case !o.OK:
		level = "notice"
	}
	//nolint:staticcheck // the protocol deprecates logging, clients still read it
	if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Logger: "cellwall", Level: level, Data: line}); err != nil {
		s.opts.Logger.Debug("log to the client", "error", err)
	}
}
