package store

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM46_EachRaterHasOneRatingOfAnExecution(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		r := cellwall.Rating{
			Tenant: "tnt_a", Execution: "exec_1", Rater: "ann", Key: "key_a", At: noon, Comment: "so", Model: "m1", Prompt: "p1", Environment: "e1",
			Scores: cellwall.Scores{Correctness: 1, Completeness: 2, Fluency: 3, Attribution: 4},
		}
		rate := func(r cellwall.Rating, any bool) (bool, error) { return s.Rate(ctx, r, any) }
		if replaced, err := rate(r, false); replaced || err != nil {
			t.Fatal(replaced, err)
		}
		stolen := r
		stolen.Key = "key_b"
		_, err := rate(stolen, false)
		wantCode(t, err, cellwall.CodeConflict)
		r.Correctness, r.At = 5, noon.Add(time.Second)
		if replaced, err := rate(r, false); !replaced || err != nil {
			t.Fatal(replaced, err)
		}
		list, err := s.Ratings(ctx, "tnt_a", "exec_1")
		if err != nil || len(list) != 1 || list[0] != r {
			t.Errorf("%+v, %v", list, err)
		}
		if list, err := s.Ratings(ctx, "tnt_b", "exec_1"); len(list) != 0 || err != nil {
			t.Errorf("another tenant: %+v, %v", list, err)
		}
		for i := range ratingPage + 3 { // more than one part
			more := r
			more.Execution, more.Model, more.At = cellwall.NewID("exec"), "m2", noon.Add(time.Duration(i)*time.Minute)
			if _, err := rate(more, false); err != nil {
				t.Fatal(err)
			}
		}
		count := func(f cellwall.RatingFilter) (n int) {
			t.Helper()
			last := time.Time{}
			if err := s.EachRating(ctx, "tnt_a", f, func(r cellwall.Rating) error {
				if r.At.Before(last) {
					t.Error("they come in no order")
				}
				n, last = n+1, r.At
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for name, tt := range map[string]struct {
			f    cellwall.RatingFilter
			want int
		}{
			"all":           {cellwall.RatingFilter{}, ratingPage + 4},
			"of a model":    {cellwall.RatingFilter{Model: "m1"}, 1},
			"of no prompt":  {cellwall.RatingFilter{Prompt: "p9"}, 0},
			"since a while": {cellwall.RatingFilter{Since: noon.Add(ratingPage * time.Minute)}, 3},
		} {
			if got := count(tt.f); got != tt.want {
				t.Errorf("%s: %d, want %d", name, got, tt.want)
			}
		}
	})
}

func TestM46_OneExecutionHasOnlySoManyRatings(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		r := cellwall.Rating{Tenant: "tnt_a", Execution: "exec_1", At: noon}
		for i := range mostRaters {
			r.Rater = cellwall.NewID("r")
			if _, err := s.Rate(t.Context(), r, false); err != nil {
				t.Fatal(i, err)
			}
		}
		if replaced, err := s.Rate(t.Context(), r, false); !replaced || err != nil {
			t.Errorf("its own again: %v, %v", replaced, err)
		}
		r.Rater = "one more"
		_, err := s.Rate(t.Context(), r, false)
		wantCode(t, err, cellwall.CodeRateLimited)
	})
}

// TestBadInput_ATextThatADatabaseCannotKeepIsTheCallers: it is nobody's fault but
// theirs, whichever database it is, and who writes beside them is written.
func TestBadInput_ATextThatADatabaseCannotKeepIsTheCallers(t *testing.T) {
	onStore(t, func(t *testing.T, s *Store) {
		r := cellwall.Rating{Tenant: "tnt_a", Execution: "exec_1", Rater: "ann", Key: "key_a", At: noon}
		var all sync.WaitGroup
		for i := range 40 { // some of them come into one batch
			one := r
			one.Rater = fmt.Sprint(i)
			if bad := []string{"a\x00b", "a\xffb"}; i%4 == 0 {
				one.Comment = bad[i/4%2]
			}
			all.Go(func() {
				if _, err := s.Rate(t.Context(), one, false); (err != nil) != (one.Comment != "") || err != nil && cellwall.CodeOf(err) != cellwall.CodeBadRequest {
					t.Errorf("%q: %v", one.Comment, err)
				}
			})
		}
		all.Wait()
		if list, err := s.Ratings(t.Context(), "tnt_a", "exec_1"); err != nil || len(list) != 30 {
			t.Errorf("%d are kept, %v", len(list), err)
		}
		_, err := s.Ratings(t.Context(), "tnt_a", "exec\x00")
		wantCode(t, err, cellwall.CodeBadRequest)
		wantCode(t, s.EachRating(t.Context(), "tnt_a", cellwall.RatingFilter{Model: "\xff"}, nil), cellwall.CodeBadRequest)
		if err := s.Healthy(t.Context()); err != nil {
			t.Errorf("the store is ill of it: %v", err)
		}
	})
}
