package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/cellwall/cellwall"
)

// replay gives the answer of an idempotency key again.
func (s *Server) replay(w http.ResponseWriter, r *http.Request, got cellwall.Reservation) error {
	h := w.Header()
	h.Set("Idempotency-Replayed", "true")
	if got.Status == http.StatusAccepted && len(got.Body) == 0 && s.opts.Executions != nil {
		return s.replayAccepted(w, r, got)
	}
	h.Set("Content-Type", "application/json")
	var named struct {
		ID string `json:"id"`
	}
	if got.Status == http.StatusCreated || got.Status == http.StatusAccepted {
		if json.Unmarshal(got.Body, &named) == nil && placeOf(named.ID) != "" {
			h.Set("Location", placeOf(named.ID))
		}
	}
	w.WriteHeader(got.Status)
	_, err := w.Write(got.Body)
	return ignoreGone(err)
}

// replayAccepted answers for an execution that was accepted by a service which died
// before it had kept its answer.
func (s *Server) replayAccepted(w http.ResponseWriter, r *http.Request, got cellwall.Reservation) error {
	k, err := s.opts.Executions.Execution(r.Context(), callerOf(r.Context()).Tenant, got.Execution)
	if err != nil {
		return err
	}
	w.Header().Set("Location", placeOf(k.ID))
	view := viewExecution(k)
	view.Approval = s.waitingFor(r.Context(), k)
	return writeJSON(w, http.StatusAccepted, view)
}

// places are where what was made can be asked for, by the prefix of its id.
var places = map[string]string{
	cellwall.PrefixExecution: "/v1/executions/", cellwall.PrefixSession: "/v1/sessions/", cellwall.PrefixDataset: "/v1/datasets/",
	cellwall.PrefixUpload: "/v1/uploads/", cellwall.PrefixWebhook: "/v1/webhooks/", cellwall.PrefixTenant: "/v1/admin/tenants/",
}

// placeOf is the path of what has this id; "" = it has none.
func placeOf(id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	if at := places[prefix]; at != "" {
		return at + id
	}
	return ""
}

// ignoreGone: a client that left while it was answered is nobody's fault.
func ignoreGone(error) error { return nil }

// keptAnswer holds an answer until it is on disk.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *keptAnswer) Header() http.Header { return k.header }

func (k *keptAnswer) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

func (k *keptAnswer) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

func (k *keptAnswer) send(w http.ResponseWriter) {
	for name, values := range k.header {
		w.Header()[name] = values
	}
	w.WriteHeader(k.status)
	_, _ = w.Write(k.body.Bytes()) // a client that left asks again
}
