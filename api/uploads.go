package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// An upload in pieces: POST begins it, PATCH sends from Upload-Offset on, HEAD
// says where to go on after a broken connection. The piece that makes it whole
// is answered with the dataset.

type uploadBody struct {
	Name string `json:"name" minLength:"1" maxLength:"1024" doc:"Of the file"`
	Size int64  `json:"size" minimum:"1" doc:"In bytes"`
}

// uploadView is how far an upload has come.
type uploadView struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Size     int64     `json:"size"`
	Received int64     `json:"received" doc:"Where the next piece begins"`
	Dataset  *string   `json:"dataset" doc:"What it became, when it is whole"`
	At       time.Time `json:"at"`
}

func viewUpload(u cellwall.KeptUpload) uploadView {
	v := uploadView{ID: u.ID, Name: u.Name, Size: u.Size, Received: u.Received, At: u.At.UTC()}
	if u.Dataset != "" {
		v.Dataset = &u.Dataset
	}
	return v
}

type uploadOut struct {
	Location string `header:"Location"`
	Offset   int64  `header:"Upload-Offset"`
	Length   int64  `header:"Upload-Length"`
	Body     uploadView
}

func outUpload(u cellwall.KeptUpload) *uploadOut {
	return &uploadOut{"/v1/uploads/" + u.ID, u.Received, u.Size, viewUpload(u)}
}

const mediaPiece = "application/offset+octet-stream"

func (s *Server) registerUploads() {
	handle(s, "createUpload", s.createUpload, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "getUpload", s.getUpload)
	raw(s, "continueUpload", s.continueUpload, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixUpload)
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "Upload-Offset", In: "header", Required: true, Description: "Where this piece begins: what GET calls received.",
			Schema: &huma.Schema{Type: "integer", Minimum: ptr(0.0)},
		})
		takes(op, mediaPiece, binary())
		responds(op, http.StatusNoContent, "The piece is on disk; `Upload-Offset` says where the next one begins", "", nil)
		responds(op, http.StatusCreated, "It is whole, and a dataset", "application/json", schemaOf[cellwall.Dataset](s))
	})
	handle(s, "deleteUpload", s.deleteUpload)
}

func (s *Server) createUpload(ctx context.Context, in *struct{ Body uploadBody }) (*uploadOut, error) {
	if s.opts.Uploads == nil {
		return nil, notThere("uploads")
	}
	who := callerOf(ctx)
	if most := s.inputBytes(who); in.Body.Size > most {
		return nil, tooLong(most)
	}
	u, err := s.opts.Uploads.BeginUpload(ctx, who, newID(ctx, cellwall.PrefixUpload), safeName(in.Body.Name), in.Body.Size)
	if err != nil {
		return nil, err
	}
	return outUpload(u), nil
}

func (s *Server) getUpload(ctx context.Context, in *idIn) (*uploadOut, error) {
	if s.opts.Uploads == nil {
		return nil, notThere("upload")
	}
	u, err := s.opts.Uploads.Upload(ctx, callerOf(ctx).Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	return outUpload(u), nil
}

func (s *Server) deleteUpload(ctx context.Context, in *idIn) (*struct{}, error) {
	if s.opts.Uploads == nil {
		return nil, notThere("upload")
	}
	tenant := callerOf(ctx).Tenant
	u, err := s.opts.Uploads.Upload(ctx, tenant, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.opts.Uploads.AbandonUpload(ctx, tenant, in.ID); err != nil || u.Dataset == "" {
		return nil, err
	}
	// A dataset that nobody could describe yet has no other way to be described.
	if kept, err := s.opts.Datasets.Dataset(ctx, tenant, u.Dataset); err == nil && kept.Format == "" {
		s.forget(ctx, tenant, kept.ID)
	}
	return nil, nil
}

func (s *Server) continueUpload(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Uploads == nil {
		return notThere("upload")
	}
	if media, _, err := mediaType(r); err != nil || media != mediaPiece {
		return unsupported(mediaPiece)
	}
	offset, err := strconv.ParseInt(r.Header.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read Upload-Offset", Err: errors.New("it is missing or no offset"),
			Hint: "send what GET calls received",
		}
	}
	ctx, who := r.Context(), callerOf(r.Context())
	u, err := s.opts.Uploads.Upload(ctx, who.Tenant, r.PathValue("id"))
	if err != nil {
		return err
	}
	if u.Dataset != "" && offset == u.Size { // the answer to the last piece was lost
		if n, _ := io.ReadFull(r.Body, make([]byte, 1)); n > 0 {
			return &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "continue upload", Err: errors.New("it is whole, and the piece has bytes"), Hint: "send an empty one",
			}
		}
		return s.finishUpload(w, r, u)
	}
	staging := s.stage(who, true)
	defer staging.close()
	u, err = s.opts.Uploads.Continue(ctx, who.Tenant, r.PathValue("id"), offset, staging.of(r.Body))
	staging.close()
	if u.ID != "" {
		w.Header().Set("Upload-Offset", strconv.FormatInt(u.Received, 10))
	}
	if err != nil {
		return err
	}
	if u.Received < u.Size {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return s.finishUpload(w, r, u)
}

// finishUpload makes the dataset, and describes it unless an earlier try of the
// same piece has.
func (s *Server) finishUpload(w http.ResponseWriter, r *http.Request, u cellwall.KeptUpload) error {
	who := callerOf(r.Context())
	kept, err := s.opts.Uploads.FinishUpload(r.Context(), who, u.ID)
	if err != nil {
		return err
	}
	described := kept.Dataset
	if kept.Format == "" {
		if described, err = s.describe(r, kept); err != nil {
			if cellwall.CodeOf(err) == cellwall.CodeDatasetUnreadable {
				s.forget(r.Context(), who.Tenant, kept.ID)
				return errors.Join(err, s.abandon(r.Context(), who.Tenant, u.ID))
			}
			return toDescribe(err)
		}
	}
	w.Header().Set("Location", "/v1/datasets/"+kept.ID)
	return writeJSON(w, http.StatusCreated, described)
}

// toDescribe says how to go on where a file is whole and nothing could look into it.
func toDescribe(err error) error {
	var known *cellwall.Error
	if !errors.As(err, &known) {
		return err
	}
	told := *known
	told.Hint = strings.TrimPrefix(known.Hint+"; ", "; ") + "the file is whole: then send an empty piece at its end to have it described"
	return &told
}

// abandon forgets an upload whose file nobody can read.
func (s *Server) abandon(ctx context.Context, tenant, id string) error {
	if err := s.opts.Uploads.AbandonUpload(context.WithoutCancel(ctx), tenant, id); err != nil {
		return fmt.Errorf("forget upload: %w", err)
	}
	return nil
}
