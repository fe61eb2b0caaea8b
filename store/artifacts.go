package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/cellwall/cellwall"
)

// keepArtifacts makes the artifacts of an execution findable, and counts them and its
// Result as stored.
func keepArtifacts(ctx context.Context, t *tx, k cellwall.KeptExecution, all []cellwall.Artifact) error {
	bytes := int64(len(k.Result))
	for _, a := range all {
		if _, err := t.exec(ctx, `INSERT INTO artifacts (tenant, id, execution, name, type, media_type, bytes, sha256, flags, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, k.Identity.Tenant, a.ID, k.ID, a.Name, a.Type, a.MediaType, a.Bytes, a.SHA256,
			strings.Join(a.Flags, " "), micros(k.At)); err != nil {
			return err
		}
		bytes += a.Bytes
	}
	return addStored(ctx, t, k.Identity.Tenant, bytes)
}

// Artifact returns one of the tenant's.
func (s *Store) Artifact(ctx context.Context, tenant, id string) (cellwall.KeptArtifact, error) {
	a := cellwall.KeptArtifact{Tenant: tenant}
	var flags string
	var at int64
	err := s.db.row(ctx, `SELECT id, execution, name, type, media_type, bytes, sha256, flags, at FROM artifacts WHERE tenant = $1 AND id = $2`,
		tenant, id).Scan(&a.ID, &a.Execution, &a.Name, &a.Type, &a.MediaType, &a.Bytes, &a.SHA256, &flags, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return cellwall.KeptArtifact{}, missing("artifact")
	}
	if err != nil {
		return cellwall.KeptArtifact{}, storeError("find artifact", err)
	}
	a.Path, a.Flags, a.At = a.Name, strings.Fields(flags), fromMicros(at)
	return a, nil
}
