package cellwall

import (
	"encoding/json"
	"time"
)

// Happening is something that a tenant may hear of: by its event stream, by a
// webhook. It holds ids, statuses and counts, never code or data.
type Happening struct {
	Seq    uint64          `json:"seq"` // grows by one within a tenant
	ID     string          `json:"id"`  // evt_…
	Tenant string          `json:"-"`
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind"` // e.g. "execution.done"
	Data   json.RawMessage `json:"data"`
}

// UsageRow is what one subject of a tenant used in one hour.
type UsageRow struct {
	Tenant     string    `json:"tenant"`
	Subject    string    `json:"subject"` // "" = calls that named none
	Hour       time.Time `json:"hour"`    // its beginning, UTC
	Executions int64     `json:"executions"`
	Refused    int64     `json:"refused"`
	WallMS     float64   `json:"wall_ms"`
	CPUMS      float64   `json:"cpu_ms"`
	Bytes      int64     `json:"bytes"` // stored as datasets and artifacts
	TokenCost  float64   `json:"token_cost"`
}
