package api

import (
	"context"
	"encoding/hex"
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

// createDataset stores a file and has a sandbox describe it. One that cannot be
// read is not kept.
func (s *Server) createDataset(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Datasets == nil {
		return notThere("datasets")
	}
	if media, _, err := mediaType(r); err == nil && media == "application/json" && s.opts.Sources != nil {
		return s.bringDataset(w, r)
	}
	who := callerOf(r.Context())
	name, content, err := s.uploaded(r)
	if err != nil {
		return err
	}
	staging := s.stage(who, true)
	kept, err := s.opts.Datasets.Put(r.Context(), who, name, staging.of(content), s.inputBytes(who))
	staging.close()
	if err != nil {
		return formError(err)
	}
	stays := false
	defer func() {
		if !stays {
			s.forget(r.Context(), who.Tenant, kept.ID)
		}
	}()
	if err := content.end(); err != nil {
		return err
	}
	sum, err := hex.DecodeString(kept.SHA256)
	if err != nil {
		return err
	}
	return s.once(w, r, append([]byte(kept.Name+"\x00"), sum...), func(w http.ResponseWriter, r *http.Request) error {
		described, err := s.describe(r, kept)
		if err != nil {
			return err
		}
		stays = true
		w.Header().Set("Location", "/v1/datasets/"+kept.ID)
		return writeJSON(w, http.StatusCreated, described)
	})
}

// forget takes back a dataset that nobody was told of.
func (s *Server) forget(ctx context.Context, tenant, id string) {
	if err := s.opts.Datasets.Delete(context.WithoutCancel(ctx), tenant, id); err != nil {
		s.opts.Logger.Error("take a dataset back", "dataset", id, "error", err)
	}
}

// describe has a sandbox read a dataset, and keeps what it says.
func (s *Server) describe(r *http.Request, kept cellwall.KeptDataset) (cellwall.Dataset, error) {
	return s.describeIn(r.Context(), kept, language(r))
}

func (s *Server) describeIn(ctx context.Context, kept cellwall.KeptDataset, language string) (cellwall.Dataset, error) {
	who := callerOf(ctx)
	f, _, err := s.opts.Datasets.Open(ctx, who.Tenant, kept.ID)
	if err != nil {
		return cellwall.Dataset{}, err
	}
	defer f.Close()
	result, err := s.opts.Work.Describe(ctx, cellwall.Request{
		Trace: callID(ctx), Identity: who, Language: language,
		Datasets: []cellwall.Input{stored(f, kept)},
	})
	if err != nil {
		return cellwall.Dataset{}, err
	}
	if !result.OK || len(result.Datasets) != 1 {
		return cellwall.Dataset{}, unreadable(result)
	}
	d := result.Datasets[0]
	d.ID, d.Name, d.Bytes, d.SHA256 = kept.ID, kept.Name, kept.Bytes, kept.SHA256
	return d, s.opts.Datasets.Describe(ctx, who.Tenant, d)
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
