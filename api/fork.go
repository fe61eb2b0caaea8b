package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

type (
	forkIn struct {
		SessionPath
		Body *struct {
			Drop bool `json:"drop,omitempty" doc:"While a cell runs: cancel it and turn away those that wait, instead of failing"`
		}
	}
	forkOut struct {
		Location string `header:"Location"`
		Body     forkView
	}

	// forkView is a session that lives beside the one that it came from.
	forkView struct {
		Session    sessionView       `json:"session"`
		Origin     string            `json:"origin" doc:"The session that it came from; both use one budget"`
		SharedWall bool              `json:"shared_wall" doc:"Whether both live in one sandbox; this service gives each its own"`
		Lost       []cellwall.Notice `json:"lost" doc:"What could not come along"`
	}
)

// forkSession begins a session with the live state of another. Both live on, and know
// nothing of each other.
func (s *Server) forkSession(ctx context.Context, in *forkIn) (*forkOut, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	made, lost, result, err := one.Fork(ctx, in.Body != nil && in.Body.Drop)
	switch {
	case err != nil:
		return nil, err
	case made == nil:
		return nil, notForked(result)
	}
	if lost == nil {
		lost = []cellwall.Notice{}
	}
	view := viewSession(ctx, made)
	return &forkOut{"/v1/sessions/" + view.ID, forkView{Session: view, Origin: in.ID, Lost: lost}}, nil
}

// notForked is the error of a state that a fresh sandbox could not take in.
func notForked(r *cellwall.Result) error {
	why := fmt.Errorf("the fresh sandbox ended as %s", r.Status)
	if r.Error != nil {
		why = errors.New(r.Error.Message)
	}
	return &cellwall.Error{Code: cellwall.CodeConflict, Op: "fork session", Err: why, Hint: r.Observation.RetryHint}
}
