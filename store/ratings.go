package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/cellwall/cellwall"
)

const ratingColumns = `tenant, execution, rater, key_id, at, correctness, completeness, fluency, attribution, comment, model, prompt, environment`

// mostRaters of one execution.
const mostRaters = 100

// Rate keeps a rating; a rater's earlier one of the same execution is gone then, and
// replaced says so. CodeConflict: the earlier one was said with another key, unless any
// may; CodeRateLimited: a hundred people have rated it.
func (s *Store) Rate(ctx context.Context, r cellwall.Rating, any bool) (replaced bool, err error) {
	err = s.writer.write(ctx, len(r.Comment), func(ctx context.Context, t *tx) error {
		var key string
		err := t.row(ctx, `SELECT key_id FROM ratings WHERE tenant = $1 AND execution = $2 AND rater = $3`, r.Tenant, r.Execution, r.Rater).Scan(&key)
		switch replaced = err == nil; {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case replaced && key != r.Key && !any:
			return refused{&cellwall.Error{
				Code: cellwall.CodeConflict, Op: "rate execution", Err: errors.New("another key has rated it under this name"), Hint: "take another name, or that key",
			}}
		case !replaced:
			if err := roomToRate(ctx, t, r); err != nil {
				return err
			}
		}
		_, err = t.exec(ctx, `INSERT INTO ratings (`+ratingColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			ON CONFLICT (tenant, execution, rater) DO UPDATE SET key_id = excluded.key_id, at = excluded.at, correctness = excluded.correctness,
			completeness = excluded.completeness, fluency = excluded.fluency, attribution = excluded.attribution, comment = excluded.comment`,
			r.Tenant, r.Execution, r.Rater, r.Key, micros(r.At), r.Correctness, r.Completeness, r.Fluency, r.Attribution, r.Comment,
			r.Model, r.Prompt, r.Environment)
		return err
	})
	if err != nil {
		return false, storeError("keep rating", err)
	}
	return replaced, nil
}

func roomToRate(ctx context.Context, t *tx, r cellwall.Rating) error {
	var n int
	if err := t.row(ctx, `SELECT count(*) FROM ratings WHERE tenant = $1 AND execution = $2`, r.Tenant, r.Execution).Scan(&n); err != nil {
		return err
	}
	if n >= mostRaters {
		return refused{&cellwall.Error{Code: cellwall.CodeRateLimited, Op: "rate execution", Err: errors.New("as many as can be have rated it")}}
	}
	return nil
}

// Ratings lists those of an execution of the tenant's, oldest first.
func (s *Store) Ratings(ctx context.Context, tenant, execution string) (list []cellwall.Rating, err error) {
	err = s.db.query(ctx, `SELECT `+ratingColumns+` FROM ratings WHERE tenant = $1 AND execution = $2 ORDER BY at, rater`,
		[]any{tenant, execution}, intoRatings(&list))
	if err != nil {
		return nil, storeError("list ratings", err)
	}
	return list, nil
}

// ratingPage is how many ratings are read at a time.
const ratingPage = 500

// EachRating hands out the tenant's ratings, oldest first. No reader of the database
// waits for each.
func (s *Store) EachRating(ctx context.Context, tenant string, f cellwall.RatingFilter, each func(cellwall.Rating) error) error {
	after := cellwall.Rating{At: f.Since}
	for {
		var part []cellwall.Rating
		err := s.db.query(ctx, `SELECT `+ratingColumns+` FROM ratings WHERE tenant = $1 AND (at, execution, rater) > ($2, $3, $4)
			AND (model = $5 OR $5 = '') AND (prompt = $6 OR $6 = '') AND (environment = $7 OR $7 = '') ORDER BY at, execution, rater LIMIT $8`,
			[]any{tenant, micros(after.At), after.Execution, after.Rater, f.Model, f.Prompt, f.Environment, ratingPage}, intoRatings(&part))
		if err != nil {
			return storeError("list ratings", err)
		}
		for _, r := range part {
			if err := each(r); err != nil {
				return err
			}
		}
		if len(part) < ratingPage {
			return nil
		}
		after = part[len(part)-1]
	}
}

func intoRatings(list *[]cellwall.Rating) func(scan func(...any) error) error {
	return func(scan func(...any) error) error {
		var r cellwall.Rating
		var at int64
		err := scan(&r.Tenant, &r.Execution, &r.Rater, &r.Key, &at, &r.Correctness, &r.Completeness, &r.Fluency, &r.Attribution, &r.Comment,
			&r.Model, &r.Prompt, &r.Environment)
		r.At = fromMicros(at)
		*list = append(*list, r)
		return err
	}
}
