package api

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
)

// sessionBody is what a caller asks for when a session begins.
type sessionBody struct {
	Datasets     []string          `json:"datasets,omitempty" maxItems:"64" nullable:"false" doc:"Ids; the first is df"`
	Environment  string            `json:"environment,omitempty" maxLength:"64"`
	Backend      string            `json:"backend,omitempty" maxLength:"64"`
	Profile      string            `json:"profile,omitempty" enum:"default,strict,off" doc:"Only a stricter one than the tenant's"`
	Purpose      string            `json:"purpose,omitempty" maxLength:"2000" doc:"What the session is for, in the record"`
	Limits       *limitsBody       `json:"limits,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty" doc:"Your own, at most 16 texts of 512 bytes: recorded and given back"`
	IdleTimeoutS int64             `json:"idle_timeout_s,omitempty" minimum:"1" maximum:"86400" doc:"Seconds after which it ends when nobody uses it"`
	LifetimeS    int64             `json:"lifetime_s,omitempty" minimum:"1" maximum:"86400" doc:"Seconds after which it ends in any case"`
	Callable
}

// life is how long the session may stand.
func (b *sessionBody) life() SessionLife {
	return SessionLife{Idle: time.Duration(b.IdleTimeoutS) * time.Second, Total: time.Duration(b.LifetimeS) * time.Second}
}

// sessionRequest opens what the body names; its datasets are open until in is
// closed.
func (s *Server) sessionRequest(ctx context.Context, b *sessionBody, language string) (cellwall.Request, *executionInput, error) {
	if err := checkMetadata(b.Metadata); err != nil {
		return cellwall.Request{}, nil, err
	}
	in := &executionInput{body: executionBody{Datasets: b.Datasets}}
	functions, err := s.functions(b.Callable, language)
	if err == nil {
		err = s.openDatasets(ctx, in)
	}
	if err != nil {
		in.close()
		return cellwall.Request{}, nil, err
	}
	return cellwall.Request{
		Trace: callID(ctx), Identity: callerOf(ctx), Purpose: b.Purpose, Datasets: in.inputs,
		Environment: b.Environment, Backend: b.Backend, Profile: b.Profile, Limits: b.Limits.limits(),
		Language: language, Metadata: b.Metadata, Functions: functions,
	}, in, nil
}

// cellBody is what a caller says of one cell.
type cellBody struct {
	Code              string            `json:"code" minLength:"1" doc:"Python, at most 100,000 characters"`
	Purpose           string            `json:"purpose,omitempty" maxLength:"2000" doc:"What the code is for, in the record"`
	ExpectedArtifacts []string          `json:"expected_artifacts,omitempty" maxItems:"64" nullable:"false" doc:"Names of files that should come of it"`
	TimeoutMS         int64             `json:"timeout_ms,omitempty" minimum:"100" maximum:"300000" doc:"At most what the session was opened with"`
	Language          string            `json:"language,omitempty" enum:"python" doc:"Of the code"`
	Context           string            `json:"context,omitempty" enum:"default" doc:"A session has one"`
	KeepFiles         bool              `json:"keep_files,omitempty" doc:"When the cell is killed its files stay"`
	Metadata          map[string]string `json:"metadata,omitempty" doc:"Your own, at most 16 texts of 512 bytes: recorded and given back"`
	TokenCost         float64           `json:"token_cost,omitempty" minimum:"0" maximum:"1000000000" doc:"What you paid for the code, in your own unit"`
	AttemptsLeft      *int              `json:"attempts_left,omitempty" minimum:"0" maximum:"1000" doc:"Told to the model when the code failed"`
	Callable
}

// cell is what the session hears of it.
func (b *cellBody) cell(ctx context.Context, id, language string) SessionCell {
	return SessionCell{
		ID: id, Trace: callID(ctx), Subject: callerOf(ctx).Subject,
		Code: b.Code, Purpose: b.Purpose, ExpectedArtifacts: b.ExpectedArtifacts,
		Timeout: time.Duration(b.TimeoutMS) * time.Millisecond, Language: language,
		AttemptsLeft: b.AttemptsLeft, TokenCost: b.TokenCost, KeepFiles: b.KeepFiles, Metadata: b.Metadata,
	}
}
