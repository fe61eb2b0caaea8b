package api

import (
	"context"

	"github.com/cellwall/cellwall"
)

type interruptOut struct {
	Body struct {
		ID string `json:"id"`
	}
}

// interruptSession has the cell that runs end with KeyboardInterrupt. Whether one
// ran at all its own answer tells.
func (s *Server) interruptSession(ctx context.Context, in *SessionPath) (*interruptOut, error) {
	one, err := s.session(ctx, in.ID)
	if err == nil {
		err = one.Interrupt()
	}
	if err != nil {
		return nil, err
	}
	out := &interruptOut{}
	out.Body.ID = in.ID
	return out, nil
}

type (
	rollbackIn struct {
		SessionPath
		Body *struct {
			To     string `json:"to,omitempty" maxLength:"64" doc:"Id of a checkpoint; left out: the newest before the live state"`
			Reseed bool   `json:"reseed,omitempty" doc:"New states for random generators that the code did not seed itself"`
			Drop   bool   `json:"drop,omitempty" doc:"While a cell runs: cancel it and turn away those that wait, instead of failing"`
		}
	}
	rollbackOut struct{ Body restoredView }

	// restoredView is what a session went back to.
	restoredView struct {
		Checkpoint string            `json:"checkpoint"`
		Cells      int               `json:"cells" doc:"That have left nothing behind"`
		Files      bool              `json:"files" doc:"Whether the files went back too"`
		Lost       []cellwall.Notice `json:"lost" doc:"What cannot be brought back"`
	}
)

// rollbackSession makes the state of a checkpoint the live one.
func (s *Server) rollbackSession(ctx context.Context, in *rollbackIn) (*rollbackOut, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var to cellwall.Return
	drop := false
	if in.Body != nil {
		to, drop = cellwall.Return{To: in.Body.To, Reseed: in.Body.Reseed}, in.Body.Drop
	}
	back, err := one.Rollback(ctx, to, drop)
	if err != nil {
		return nil, err
	}
	view := restoredView{back.Checkpoint, back.Cells, back.Files, back.Lost}
	if view.Lost == nil {
		view.Lost = []cellwall.Notice{}
	}
	return &rollbackOut{view}, nil
}

type (
	branchIn struct {
		SessionPath
		Body *struct {
			Name string `json:"name,omitempty" maxLength:"64" doc:"Of the branch; a known one is gone to; left out: a new name"`
			From string `json:"from,omitempty" maxLength:"64" doc:"Id of the checkpoint where it begins; left out: the live state"`
		}
	}
	branchOut struct{ Body SessionBranch }
)

// branchSession lets the session go on under another name. One branch is live at
// a time.
func (s *Server) branchSession(ctx context.Context, in *branchIn) (*branchOut, error) {
	one, err := s.session(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	name, from := "", ""
	if in.Body != nil {
		name, from = in.Body.Name, in.Body.From
	}
	made, err := one.Branch(ctx, name, from)
	if err != nil {
		return nil, err
	}
	return &branchOut{made}, nil
}

func (s *Server) pauseSession(ctx context.Context, in *SessionPath) (*sessionOut, error) {
	return s.frozen(ctx, in, Session.Pause)
}

func (s *Server) resumeSession(ctx context.Context, in *SessionPath) (*sessionOut, error) {
	return s.frozen(ctx, in, Session.Resume)
}

func (s *Server) frozen(ctx context.Context, in *SessionPath, change func(Session, context.Context) error) (*sessionOut, error) {
	one, err := s.session(ctx, in.ID)
	if err == nil {
		err = change(one, ctx)
	}
	if err != nil {
		return nil, err
	}
	return &sessionOut{Body: viewSession(ctx, one)}, nil
}
