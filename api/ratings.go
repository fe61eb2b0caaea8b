package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// Ratings keep what people think of executions. cmd joins packages rating and store to
// it, with a record of each.
type Ratings interface {
	// Rate keeps a rating in the place of the rater's earlier one. CodeConflict: another
	// key has said that one, and any is false.
	Rate(ctx context.Context, who cellwall.Identity, r cellwall.Rating, any bool) (replaced bool, err error)
	Ratings(ctx context.Context, tenant, execution string) ([]cellwall.Rating, error)
	EachRating(ctx context.Context, tenant string, f cellwall.RatingFilter, each func(cellwall.Rating) error) error
	// Summary groups by model, prompt_version, environment; metric is ordinal or interval.
	Summary(ctx context.Context, tenant string, f cellwall.RatingFilter, by []string, metric string) ([]RatingGroup, error)
}

// RatingGroup is what was said of executions that are alike.
type RatingGroup struct {
	Model        string       `json:"model" doc:"As metadata.model says; empty when nobody grouped by it"`
	Prompt       string       `json:"prompt_version" doc:"As metadata.prompt_version says"`
	Environment  string       `json:"environment" doc:"As metadata.environment says, else that in which it ran"`
	Executions   int          `json:"executions"`
	Ratings      int          `json:"ratings"`
	Raters       int          `json:"raters"`
	Correctness  RatingFigure `json:"correctness"`
	Completeness RatingFigure `json:"completeness"`
	Fluency      RatingFigure `json:"fluency"`
	Attribution  RatingFigure `json:"attribution"`
}

// RatingFigure is what was said in one respect.
type RatingFigure struct {
	Mean  float64  `json:"mean" doc:"Of ratings"`
	Alpha *float64 `json:"alpha" doc:"Krippendorff's α of agreement; null where it cannot be told: no execution has two ratings, or nothing varies"`
}

func (s *Server) registerRatings() {
	if s.opts.Ratings == nil || s.opts.Executions == nil {
		return
	}
	handle(s, "rate", s.rate, func(op *huma.Operation) {
		op.DefaultStatus = http.StatusCreated
		responds(op, http.StatusOK, "It took the place of the rater's earlier one", "application/json", schemaOf[cellwall.Rating](s))
	})
	handle(s, "listRatings", s.listRatings)
	raw(s, "exportRatings", s.exportRatings, s.documentExport)
	handle(s, "sumRatings", s.sumRatings)
}

type (
	rateIn struct {
		ID   string `path:"id" maxLength:"64"`
		Body struct {
			Rater        string `json:"rater" minLength:"1" maxLength:"128" doc:"Who thinks so, by a name of your own: one rating each, a later one replaces it"`
			Correctness  int    `json:"correctness" minimum:"1" maximum:"5" doc:"Is what it says true? 5 is best"`
			Completeness int    `json:"completeness" minimum:"1" maximum:"5" doc:"Does it say all that was asked?"`
			Fluency      int    `json:"fluency" minimum:"1" maximum:"5" doc:"Is it well said, and well drawn?"`
			Attribution  int    `json:"attribution" minimum:"1" maximum:"5" doc:"Does it say where each number comes from?"`
			Comment      string `json:"comment,omitempty" maxLength:"2000"`
		}
	}
	rateOut struct {
		Status int
		Body   cellwall.Rating
	}
	ratingsIn struct {
		ID string `path:"id" maxLength:"64"`
	}
	ratingsOut struct {
		Body struct {
			Items []cellwall.Rating `json:"items" doc:"Oldest first"`
		}
	}
)

// rate keeps what a person thinks of an execution that is done.
func (s *Server) rate(ctx context.Context, in *rateIn) (*rateOut, error) {
	who, b := callerOf(ctx), in.Body
	k, err := s.opts.Executions.Execution(ctx, who.Tenant, in.ID)
	switch {
	case err != nil:
		return nil, err
	case k.State != cellwall.WorkDone:
		return nil, &cellwall.Error{Code: cellwall.CodeConflict, Op: "rate execution", Err: errors.New("it is not done")}
	case strings.IndexFunc(b.Rater, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return nil, &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read rater", Err: errors.New("not all of it can be printed")}
	}
	r := cellwall.Rating{
		Tenant: who.Tenant, Execution: k.ID, Rater: b.Rater, Key: who.Key, At: time.Now().UTC().Truncate(time.Microsecond), Comment: b.Comment,
		Scores: cellwall.Scores{Correctness: b.Correctness, Completeness: b.Completeness, Fluency: b.Fluency, Attribution: b.Attribution},
		Model:  k.Metadata["model"], Prompt: k.Metadata["prompt_version"], Environment: environmentOf(k),
	}
	replaced, err := s.opts.Ratings.Rate(ctx, who, r, who.Has(cellwall.ScopeAdmin))
	if err != nil {
		return nil, err
	}
	callOf(ctx).ran.Store(true) // it has a record of its own
	out := &rateOut{Status: http.StatusCreated, Body: r}
	if replaced {
		out.Status = http.StatusOK
	}
	return out, nil
}

// environmentOf is where an execution ran, without its digest.
func environmentOf(k cellwall.KeptExecution) string {
	if said := k.Metadata["environment"]; said != "" {
		return said
	}
	var r struct{ Boundary cellwall.Boundary }
	if json.Unmarshal(k.Result, &r) != nil {
		return ""
	}
	name, _, _ := strings.Cut(r.Boundary.Environment, "@")
	return name
}

// listRatings gives those of one execution.
func (s *Server) listRatings(ctx context.Context, in *ratingsIn) (*ratingsOut, error) {
	tenant := callerOf(ctx).Tenant
	if _, err := s.opts.Executions.Execution(ctx, tenant, in.ID); err != nil {
		return nil, err
	}
	list, err := s.opts.Ratings.Ratings(ctx, tenant, in.ID)
	if err != nil {
		return nil, err
	}
	out := &ratingsOut{}
	out.Body.Items = append([]cellwall.Rating{}, list...)
	return out, nil
}
