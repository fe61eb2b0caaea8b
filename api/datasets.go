package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

func (s *Server) registerDatasets() {
	raw(s, "createDataset", s.createDataset, s.documentDataset)
	handle(s, "listDatasets", s.listDatasets)
	raw(s, "getDataset", s.getDataset, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixDataset)
		documentETag(op)
		responds(op, http.StatusOK, "What is known of it", "application/json", schemaOf[cellwall.Dataset](s))
	})
	raw(s, "getDatasetContent", s.getDatasetContent, func(op *huma.Operation) {
		pathID(op, cellwall.PrefixDataset)
		documentETag(op)
		responds(op, http.StatusOK, "The file, byte for byte", "application/octet-stream", binary())
		responds(op, http.StatusPartialContent, "A range of it", "application/octet-stream", binary())
	})
	handle(s, "deleteDataset", s.deleteDataset)
	handle(s, "maskDataset", s.maskDataset, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
}

func (s *Server) documentDataset(op *huma.Operation) {
	takes(op, "multipart/form-data", &huma.Schema{
		Type: "object", Required: []string{"file"}, AdditionalProperties: false, Properties: map[string]*huma.Schema{"file": binary()},
	})
	takes(op, "application/octet-stream", binary())
	if s.opts.Sources != nil {
		takes(op, "application/json", schemaOf[bringBody](s))
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "Content-Disposition", In: "header", Schema: &huma.Schema{Type: "string"},
		Description: "Of a body that is the file itself: attachment; filename=… names it.",
	})
	created := responds(op, http.StatusCreated, "What was found in it", "application/json", schemaOf[cellwall.Dataset](s))
	created.Headers = map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: "string"}}}
}

func documentETag(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: "string"}, Description: "ETags that the caller has",
	})
	responds(op, http.StatusNotModified, "The caller has it", "", nil)
}

// datasetView is a dataset in a list.
type datasetView struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
	Format string    `json:"format,omitempty"`
	Rows   int64     `json:"rows"`
	At     time.Time `json:"at"`
}

type datasetsOut struct{ Body paged[datasetView] }

func (s *Server) listDatasets(ctx context.Context, in *struct{ PageQuery }) (*datasetsOut, error) {
	if s.opts.Datasets == nil {
		return nil, notThere("datasets")
	}
	page, err := s.pageFrom(ctx, in.PageQuery)
	if err != nil {
		return nil, err
	}
	list, next, err := s.opts.Datasets.Datasets(ctx, callerOf(ctx).Tenant, page)
	if err != nil {
		return nil, err
	}
	out := &datasetsOut{paged[datasetView]{Items: []datasetView{}, Next: s.next(ctx, next)}}
	for _, d := range list {
		out.Body.Items = append(out.Body.Items, datasetView{d.ID, d.Name, d.Bytes, d.SHA256, d.Format, d.Rows, d.At.UTC()})
	}
	return out, nil
}

func (s *Server) getDataset(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Datasets == nil {
		return notThere("dataset")
	}
	kept, err := s.opts.Datasets.Dataset(r.Context(), callerOf(r.Context()).Tenant, r.PathValue("id"))
	if err != nil {
		return err
	}
	body, err := json.Marshal(kept.Dataset)
	if err != nil || fresh(w, r, etag(body)) {
		return err
	}
	return writeJSON(w, http.StatusOK, kept.Dataset)
}

func (s *Server) getDatasetContent(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Datasets == nil {
		return notThere("dataset")
	}
	f, kept, err := s.opts.Datasets.Open(r.Context(), callerOf(r.Context()).Tenant, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer f.Close()
	serveFile(w, r, file{name: kept.Name, media: "application/octet-stream", sha256: kept.SHA256, at: kept.At, content: f})
	return nil
}

type idIn struct {
	ID string `path:"id" maxLength:"64"`
}

func (s *Server) deleteDataset(ctx context.Context, in *idIn) (*struct{}, error) {
	if s.opts.Datasets == nil {
		return nil, notThere("dataset")
	}
	return nil, s.opts.Datasets.Delete(ctx, callerOf(ctx).Tenant, in.ID)
}
