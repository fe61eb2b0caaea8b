package main

import (
	"context"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/rating"
	"github.com/cellwall/cellwall/store"
)

// keptRatings are what people think of executions, with a record of each.
type keptRatings struct {
	*store.Store
	ledger *ledger
}

var _ api.Ratings = keptRatings{}

// ratingNote is the record of a rating.
type ratingNote struct {
	V        int               `json:"v"`    // 1
	Kind     string            `json:"kind"` // "rating"
	ID       string            `json:"id"`
	At       time.Time         `json:"at"`
	Identity cellwall.Identity `json:"identity"`
	cellwall.Rating
	Replaced bool `json:"replaced"` // an earlier one of the rater's
}

// Rate keeps and records a rating.
func (k keptRatings) Rate(ctx context.Context, who cellwall.Identity, r cellwall.Rating, any bool) (bool, error) {
	replaced, err := k.Store.Rate(ctx, r, any)
	if err != nil {
		return false, err
	}
	if mask := k.ledger.masks(r.Tenant); mask != nil {
		r.Comment = mask(r.Comment)
	}
	id := cellwall.NewID(cellwall.PrefixRating)
	return replaced, k.ledger.note(ctx, r.Tenant, id, r.At, ratingNote{1, "rating", id, r.At, who, r, replaced})
}

// Summary implements api.Ratings.
func (k keptRatings) Summary(ctx context.Context, tenant string, f cellwall.RatingFilter, by []string, metric string) ([]api.RatingGroup, error) {
	groups, err := rating.Sum(func(take func(cellwall.Rating) error) error { return k.EachRating(ctx, tenant, f, take) }, by, metric)
	if err != nil {
		return nil, err
	}
	list := make([]api.RatingGroup, 0, len(groups))
	for _, g := range groups {
		list = append(list, api.RatingGroup{
			Model: g.Model, Prompt: g.Prompt, Environment: g.Environment, Executions: g.Executions, Ratings: g.Ratings, Raters: g.Raters,
			Correctness: api.RatingFigure(g.Correctness), Completeness: api.RatingFigure(g.Completeness),
			Fluency: api.RatingFigure(g.Fluency), Attribution: api.RatingFigure(g.Attribution),
		})
	}
	return list, nil
}

// addRatings gives the API what people think.
func (s *service) addRatings(o *api.Options) { o.Ratings = keptRatings{s.kept.Store, s.kept.ledger} }
