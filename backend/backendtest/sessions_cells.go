package backendtest

import (
	"encoding/json"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
)

// runCells runs every case of user-cases.json that is a session, as the
// controller takes its cells.
func runCells(t *testing.T, s Setup) {
	ran := 0
	for _, c := range readUserCases(t, s) {
		if len(c.Cells) == 0 {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) { c.runCells(t, s) })
	}
	if ran < 5 {
		t.Errorf("only %d cases were found", ran)
	}
}

func (c userCase) runCells(t *testing.T, s Setup) {
	t.Log(c.Title)
	limits, err := c.limits()
	if err != nil {
		t.Fatal(err)
	}
	profile := c.Profile
	if profile == "" {
		profile = "default"
	}
	cells, begun, err := s.Session(t.Context(), s.target().Request(cellwall.Request{Limits: limits, Profile: profile}))
	if err != nil || cells == nil {
		t.Fatalf("begin: %+v, %v", begun, err)
	}
	defer cells.Close()
	for i, raw := range c.Cells {
		var cell struct {
			Code   string     `json:"code"`
			Expect userExpect `json:"expect"`
		}
		if err := json.Unmarshal(raw, &cell); err != nil {
			t.Fatal(err)
		}
		r, err := cells.Cell(t.Context(), cellwall.Request{Code: cell.Code}, i+1, ignore)
		if err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
		for _, p := range cell.Expect.judge(r) {
			t.Errorf("cell %d: %s", i+1, p)
		}
		for _, p := range abuse.Judge(abuse.Program{Expect: abuse.Expect{Statuses: cell.Expect.statuses()}}, abuse.Outcome{Result: r}) {
			t.Errorf("cell %d: %s", i+1, p)
		}
	}
}
