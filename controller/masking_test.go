package controller

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM15_ADisplayedValueHasOnlyTypesThatMayBeTold(t *testing.T) {
	h := &house{next: ok()}
	data := map[string]json.RawMessage{}
	for _, media := range []string{"text/plain", "application/vnd.vega.v5+json", "secret", "text/secret", "text/", "/plain", "text/html; a=b", "text/a/b", "text/é", ""} {
		data[media] = []byte(`"x"`)
	}
	h.next.events = []cellwall.Event{{Kind: cellwall.EventResult, Rich: &cellwall.Rich{Data: data}}}
	c := h.controller(t)
	c.opts.Mask = func(cellwall.Identity) Masking { return &star{} }
	r, err := c.Run(t.Context(), cellwall.Request{Code: "1"})
	if err != nil || len(r.Results) != 1 || len(r.Results[0].Data) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if !slices.ContainsFunc(h.evidence.Notices, func(n cellwall.Notice) bool { return n.Code == "types_dropped" && n.Args["count"] == "8" }) {
		t.Errorf("nobody is told: %+v", h.evidence.Notices)
	}
}

func TestM15_TheClassOfAnExceptionIsMasked(t *testing.T) {
	h := &house{next: ok()}
	raw := asJSON(t, cellwall.ExecutionError{Type: "Esecret", Message: "m", Traceback: "Traceback\nEsecret: m"})
	h.next.end.Status = cellwall.StatusError
	h.next.events = []cellwall.Event{{Kind: cellwall.EventError, Data: raw}}
	c := h.controller(t)
	c.opts.Mask = func(cellwall.Identity) Masking { return &star{} }
	r, err := c.Run(t.Context(), cellwall.Request{Code: "1"})
	if err != nil || r.Error == nil || r.Error.Type != "E******" || r.Error.Traceback != "Traceback\nE******: m" {
		t.Errorf("%+v, %v", r.Error, err)
	}
}
