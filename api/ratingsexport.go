package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// jsonLines is the media type of one JSON document a line.
const jsonLines = "application/x-ndjson"

// ratingFilter are the fields of a query that choose ratings.
var ratingFilter = []string{"model", "prompt_version", "environment", "since"}

func (s *Server) documentExport(op *huma.Operation) {
	for _, name := range ratingFilter {
		schema, about := &huma.Schema{Type: "string", MaxLength: ptr(maxMetadataValue)}, "Only these"
		if name == "since" {
			schema.Format, about = "date-time", "Only ratings of this moment and later"
		}
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: schema, Description: about})
	}
	responds(op, http.StatusOK, "One rating a line, oldest first", jsonLines, schemaOf[cellwall.Rating](s))
}

// exportRatings gives all that people think, a line for each rating.
func (s *Server) exportRatings(w http.ResponseWriter, r *http.Request) error {
	f, err := filterOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonLines)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	begun := false
	err = s.opts.Ratings.EachRating(r.Context(), callerOf(r.Context()).Tenant, f, func(one cellwall.Rating) error {
		begun = true
		return lines.Encode(one)
	})
	if err != nil && begun {
		panic(http.ErrAbortHandler) // half an export must not look whole
	}
	return err
}

// filterOf reads the query, of which the names are known ones.
func filterOf(r *http.Request) (f cellwall.RatingFilter, err error) {
	for name, values := range r.URL.Query() {
		if utf8.RuneCountInString(values[0]) > maxMetadataValue {
			return f, invalidQuery(name, fmt.Sprintf("expected length <= %d", maxMetadataValue))
		}
		switch name {
		case "model":
			f.Model = values[0]
		case "prompt_version":
			f.Prompt = values[0]
		case "environment":
			f.Environment = values[0]
		case "since":
			if f.Since, err = time.Parse(time.RFC3339, values[0]); err != nil {
				return f, invalidQuery(name, "expected date-time")
			}
		}
	}
	return f, nil
}

type (
	sumIn struct {
		By          []string  `query:"by" maxItems:"3" enum:"model,prompt_version,environment" doc:"What groups have in common; left out: all three"`
		Metric      string    `query:"metric" enum:"ordinal,interval" default:"ordinal" doc:"How different two scores are, for alpha"`
		Model       string    `query:"model" maxLength:"512" doc:"Only these"`
		Prompt      string    `query:"prompt_version" maxLength:"512" doc:"Only these"`
		Environment string    `query:"environment" maxLength:"512" doc:"Only these"`
		Since       time.Time `query:"since" doc:"Only ratings of this moment and later"`
	}
	sumOut struct {
		Body struct {
			Metric string        `json:"metric"`
			Groups []RatingGroup `json:"groups"`
		}
	}
)

// sumRatings gives means and agreement.
func (s *Server) sumRatings(ctx context.Context, in *sumIn) (*sumOut, error) {
	by := in.By
	if len(by) == 0 {
		by = []string{"model", "prompt_version", "environment"}
	}
	f := cellwall.RatingFilter{Model: in.Model, Prompt: in.Prompt, Environment: in.Environment, Since: in.Since}
	groups, err := s.opts.Ratings.Summary(ctx, callerOf(ctx).Tenant, f, by, in.Metric)
	if err != nil {
		return nil, err
	}
	out := &sumOut{}
	out.Body.Metric, out.Body.Groups = in.Metric, append([]RatingGroup{}, groups...)
	return out, nil
}
