package apitest

import (
	"context"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/rating"
	"github.com/cellwall/cellwall/store"
)

// ratings are those of the store, summed by package rating.
type ratings struct{ *store.Store }

var _ api.Ratings = ratings{}

func (r ratings) Rate(ctx context.Context, _ cellwall.Identity, one cellwall.Rating, any bool) (bool, error) {
	return r.Store.Rate(ctx, one, any)
}

func (r ratings) Summary(ctx context.Context, tenant string, f cellwall.RatingFilter, by []string, metric string) ([]api.RatingGroup, error) {
	groups, err := rating.Sum(func(take func(cellwall.Rating) error) error { return r.EachRating(ctx, tenant, f, take) }, by, metric)
	if err != nil {
		return nil, err
	}
	var list []api.RatingGroup
	for _, g := range groups {
		list = append(list, api.RatingGroup{
			Model: g.Model, Prompt: g.Prompt, Environment: g.Environment, Executions: g.Executions, Ratings: g.Ratings, Raters: g.Raters,
			Correctness: api.RatingFigure(g.Correctness), Completeness: api.RatingFigure(g.Completeness),
			Fluency: api.RatingFigure(g.Fluency), Attribution: api.RatingFigure(g.Attribution),
		})
	}
	return list, nil
}
