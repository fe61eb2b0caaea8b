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
