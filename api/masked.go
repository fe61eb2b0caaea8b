package api

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// ColumnMasks makes the program that masks columns. Package mask has it.
type ColumnMasks struct {
	Program func(columns map[string]string) (code string, err error)
	File    string // that the program leaves
}

// maskBody says what becomes of columns.
type maskBody struct {
	Columns map[string]string `json:"columns" minProperties:"1" maxProperties:"1000" doc:"Name of a column to what becomes of it: hide (it is left out), hash (equal values stay equal), partial (the last characters stay)"`
	Name    string            `json:"name,omitempty" maxLength:"1024" doc:"Of the new dataset; left out: the old one's, with .masked.parquet"`
}

type maskIn struct {
	ID       string `path:"id" maxLength:"64"`
	Language string `header:"Accept-Language" maxLength:"200"`
	Body     maskBody
}

type maskOut struct {
	Location string `header:"Location"`
	Body     cellwall.Dataset
}

// maskDataset makes a dataset without what some columns of another hold. A sandbox of
// its own does it: the one that runs a model's code on the new dataset never has the
// old one.
func (s *Server) maskDataset(ctx context.Context, in *maskIn) (*maskOut, error) {
	if s.opts.Datasets == nil || s.opts.Artifacts == nil || s.opts.ColumnMasks == nil {
		return nil, notThere("dataset")
	}
	who := callerOf(ctx)
	old, err := s.opts.Datasets.Dataset(ctx, who.Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	if err := checkMasks(old, in.Body.Columns); err != nil {
		return nil, err
	}
	made, there, err := s.madeBefore(ctx)
	if err == nil && !there {
		made, err = s.masked(ctx, old, in)
	}
	if err != nil {
		return nil, err
	}
	described, err := s.described(ctx, made, languageOf(in.Language))
	if err != nil {
		return nil, err
	}
	return &maskOut{Location: "/v1/datasets/" + made.ID, Body: described}, nil
}

// checkMasks refuses ways that there are not, and columns that are not there.
func checkMasks(d cellwall.KeptDataset, columns map[string]string) error {
	var names []string
	for _, c := range d.Columns {
		names = append(names, c.Name)
	}
	for name, way := range columns {
		wrong := func(format string, args ...any) error {
			return &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "mask dataset", Err: fmt.Errorf(format, args...),
				Hint: "a column of " + d.Name + " to hide, hash or partial: " + strings.Join(names[:min(len(names), 20)], ", "),
			}
		}
		if !slices.Contains([]string{"hide", "hash", "partial"}, way) {
			return wrong("%.40q is no way to mask a column", way)
		}
		if !slices.Contains(names, name) {
			return wrong("there is no column %.100q", name)
		}
	}
	return nil
}

// masked has a sandbox write the new file, and stores it as a dataset.
func (s *Server) masked(ctx context.Context, old cellwall.KeptDataset, in *maskIn) (made cellwall.KeptDataset, err error) {
	who := callerOf(ctx)
	code, err := s.opts.ColumnMasks.Program(in.Body.Columns)
	if err != nil {
		return made, err
	}
	f, _, err := s.opts.Datasets.Open(ctx, who.Tenant, old.ID)
	if err != nil {
		return made, err
	}
	defer f.Close()
	result, err := s.opts.Work.Stream(ctx, cellwall.Request{
		Trace: callID(ctx), Identity: who, Language: languageOf(in.Language), Code: code, Purpose: "mask columns of " + old.ID, Approved: true,
		Limits: cellwall.Limits{Rows: int(max(old.Rows, 1))}, Datasets: []cellwall.Input{stored(f, old)},
	}, nil)
	if err != nil {
		return made, err
	}
	if !result.OK || len(result.Datasets) != 1 {
		return made, unreadable(result)
	}
	if d := result.Datasets[0]; d.RowsGiven != d.Rows {
		return made, &cellwall.Error{
			Code: cellwall.CodeTooLarge, Op: "mask dataset", Err: fmt.Errorf("only %d of its %d rows can be read", d.RowsGiven, d.Rows),
			Hint: "the tenant's ceiling for rows has to be as high as the rows of the dataset",
		}
	}
	return s.keepLeft(ctx, result, leftFile{op: "mask dataset", file: s.opts.ColumnMasks.File, name: maskedName(old.Name, in.Body.Name), more: "raise the tenant's limits for artifacts"})
}

// maskedName is what the new file is called: it ends as what it is.
func maskedName(old, asked string) string {
	if asked == "" {
		asked = strings.TrimSuffix(old, path.Ext(old)) + ".masked.parquet"
	}
	if path.Ext(asked) != ".parquet" {
		asked += ".parquet"
	}
	return safeName(asked)
}
