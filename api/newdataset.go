package api

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"

	"github.com/cellwall/cellwall"
)

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
	earlier, err := s.earlier(r, cellwall.PrefixDataset)
	if err != nil {
		return err
	}
	staging := s.stage(who, true)
	defer staging.close()
	held, err := s.opts.Datasets.Hold(r.Context(), who, earlier, name, staging.of(content), s.inputBytes(who))
	staging.close()
	if err != nil {
		return formError(err)
	}
	if err := content.end(); err != nil {
		return err
	}
	sum, err := hex.DecodeString(held.SHA256)
	if err != nil {
		return err
	}
	// It is a dataset only from here on: what a key stands for is known by its content.
	return s.once(w, r, append([]byte(held.Name+"\x00"), sum...), func(w http.ResponseWriter, r *http.Request) error {
		held.ID = newID(r.Context(), cellwall.PrefixDataset)
		kept, err := s.opts.Datasets.Keep(r.Context(), held)
		if err != nil {
			return err
		}
		described, err := s.described(r.Context(), kept, language(r))
		if err != nil {
			return err
		}
		w.Header().Set("Location", "/v1/datasets/"+kept.ID)
		return writeJSON(w, http.StatusCreated, described)
	})
}

// described is what is known of a dataset that was just made, or that a service which
// died has made under the same key. One that cannot be read is not kept.
func (s *Server) described(ctx context.Context, kept cellwall.KeptDataset, language string) (cellwall.Dataset, error) {
	if kept.Format != "" {
		return kept.Dataset, nil
	}
	d, err := s.describeIn(ctx, kept, language)
	if err != nil {
		s.forget(ctx, callerOf(ctx).Tenant, kept.ID)
	}
	return d, err
}

// putDataset stores what r gives as the dataset of a call.
func (s *Server) putDataset(ctx context.Context, name string, r io.Reader) (cellwall.KeptDataset, error) {
	who, id := callerOf(ctx), newID(ctx, cellwall.PrefixDataset)
	held, err := s.opts.Datasets.Hold(ctx, who, id, name, r, s.inputBytes(who))
	if err != nil {
		return held, err
	}
	return s.opts.Datasets.Keep(ctx, held)
}

// madeBefore is the dataset that a service which died has made for this call.
func (s *Server) madeBefore(ctx context.Context) (made cellwall.KeptDataset, there bool, err error) {
	if reservedID(ctx) == "" {
		return made, false, nil
	}
	made, err = s.opts.Datasets.Dataset(ctx, callerOf(ctx).Tenant, newID(ctx, cellwall.PrefixDataset))
	if cellwall.CodeOf(err) == cellwall.CodeNotFound {
		return made, false, nil
	}
	return made, err == nil, err
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
