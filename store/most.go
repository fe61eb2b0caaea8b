package store

import (
	"context"
	"fmt"

	"github.com/cellwall/cellwall"
)

// most is how many of a kind a tenant may have. What it makes is the tenant's, what it
// costs is everybody's: an event is a row for each webhook in the step of what happened,
// and every service has all keys in memory.
type most struct {
	what, hint string
	n          int
	others     string // counts them for a tenant; 0 when the one of this id is there already
}

var (
	mostWebhooks = most{
		"webhooks", "delete one that is needed no more, or have one tell the others", 20,
		`SELECT count(*) FROM webhooks WHERE tenant = $1 AND NOT EXISTS (SELECT 1 FROM webhooks WHERE tenant = $1 AND id = $2)`,
	}
	mostKeys = most{
		"keys that are not revoked", "revoke one that is needed no more", 100,
		`SELECT count(*) FROM keys WHERE tenant = $1 AND revoked = 0 AND NOT EXISTS (SELECT 1 FROM keys WHERE tenant = $1 AND id = $2)`,
	}
	mostUploads = most{
		"uploads in progress", "finish or abandon one of them; after a day they are forgotten", 50,
		`SELECT count(*) FROM uploads WHERE tenant = $1 AND dataset = '' AND NOT EXISTS (SELECT 1 FROM uploads WHERE tenant = $1 AND id = $2)`,
	}
)

// check refuses one more than there may be. Whoever else adds to the same tenant, in
// another service too, waits for the end of this step: none is counted twice or missed.
func (m most) check(ctx context.Context, t *tx, tenant, id string) error {
	if err := addStored(ctx, t, tenant, 0); err != nil { // locks the tenant's row
		return err
	}
	var n int
	if err := t.row(ctx, m.others, tenant, id).Scan(&n); err != nil {
		return err
	}
	if n >= m.n {
		return refused{&cellwall.Error{
			Code: cellwall.CodeRateLimited, Err: fmt.Errorf("the tenant has %d %s, and may have no more", n, m.what), Hint: m.hint,
		}}
	}
	return nil
}
