package main

import (
	"encoding/json"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
)

// The kinds of events about executions.
const (
	kindDone    = "execution.done"
	kindRefused = "execution.refused"
	kindLost    = "execution.lost"
)

// speaks reports whether an entry is of something that was to run: not a
// session's beginning, not a rollback, not a program of ours that an execution called for.
func speaks(e controller.Entry) bool { return (e.Code != "" || e.Refusal != "") && e.Parent == "" }

// turnedAway reports whether nothing of it ran.
func turnedAway(e controller.Entry) bool {
	return e.Refusal != "" || e.Status == cellwall.StatusRefused
}

// happened is what its tenant hears of an entry.
func happened(e controller.Entry) []cellwall.Happening {
	if !speaks(e) {
		return nil
	}
	kind := kindDone
	if turnedAway(e) {
		kind = kindRefused
	}
	return []cellwall.Happening{happening(e.Identity.Tenant, kind, executionTold{
		ID: e.ID, Session: e.Session, Call: e.Call, Subject: e.Identity.Subject, Status: e.Status, Cause: e.Cause,
		Refusal: e.Refusal, WallMS: e.Usage.WallMS, Artifacts: len(e.Artifacts),
	})}
}

// executionTold is what an event says of an execution: no code, no data.
type executionTold struct {
	ID        string             `json:"execution_id"`
	Session   string             `json:"session_id,omitempty"`
	Call      string             `json:"request_id,omitempty"`
	Subject   string             `json:"subject,omitempty"`
	Status    cellwall.Status    `json:"status,omitempty"`
	Cause     cellwall.Cause     `json:"cause,omitempty"`
	Refusal   cellwall.ErrorCode `json:"refusal,omitempty"`
	WallMS    float64            `json:"wall_ms"`
	Artifacts int                `json:"artifacts"`
}

// happening is an event of ids, words and numbers, which always can be JSON.
func happening(tenant, kind string, data any) cellwall.Happening {
	raw, err := json.Marshal(data)
	if err != nil {
		raw = []byte("{}")
	}
	return cellwall.Happening{Tenant: tenant, Kind: kind, Data: raw}
}
