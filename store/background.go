package store

import (
	"context"

	"github.com/cellwall/cellwall"
)

// Accept keeps an execution that waits for its turn, with what was asked, so
// that it is done even when this service dies.
func (s *Store) Accept(ctx context.Context, k cellwall.KeptExecution) error {
	metadata, err := metadataText(k.Metadata)
	if err != nil {
		return err
	}
	err = s.writer.write(ctx, len(k.Request), func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, `INSERT INTO executions (tenant, id, session, subject, key_id, at, state, status, metadata, instance, request)
			VALUES ($1, $2, $3, $4, $5, $6, 'queued', '', $7, $8, $9)`,
			k.Identity.Tenant, k.ID, k.Session, k.Identity.Subject, k.Identity.Key, micros(k.At), metadata, s.instance, k.Request)
		return err
	})
	if err != nil {
		return storeError("accept execution", err)
	}
	return nil
}

// Begin takes an accepted execution: it is told before code is sent. It reports
// false when that one does not wait any more.
func (s *Store) Begin(ctx context.Context, tenant, id string) (mine bool, err error) {
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `UPDATE executions SET state = 'running' WHERE tenant = $1 AND id = $2 AND state = 'queued' AND instance = $3`,
			tenant, id, s.instance)
		mine = n == 1
		return err
	})
	if err != nil {
		return false, storeError("begin execution", err)
	}
	return mine, nil
}

// Settle ends an accepted execution that came to nothing: it has a Result, and
// no record of its own.
func (s *Store) Settle(ctx context.Context, k cellwall.KeptExecution) error {
	return s.change(ctx, "settle execution", "execution", `UPDATE executions SET state = 'done', status = $1, result = $2, request = NULL
		WHERE tenant = $3 AND id = $4 AND state IN ('queued', 'running')`, string(k.Status), k.Result, k.Identity.Tenant, k.ID)
}

// Adopt takes what services that died had accepted: queued ones are this
// service's from now on, with their Request; of those whose code was sent nobody
// knows what became, and they are lost.
func (s *Store) Adopt(ctx context.Context) (queued, lost []cellwall.KeptExecution, err error) {
	const dead = ` AND instance <> $1 AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = instance AND i.at >= $2) RETURNING ` + executionColumns
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		queued, lost = nil, nil
		args := []any{s.instance, s.deadline()}
		err := t.query(ctx, `UPDATE executions SET instance = $1 WHERE state = 'queued'`+dead+`, request`, args, func(scan func(...any) error) error {
			var request []byte
			k, err := scanExecution(scan, &request)
			k.Request = request
			queued = append(queued, k)
			return err
		})
		if err != nil {
			return err
		}
		return t.query(ctx, `UPDATE executions SET state = 'lost', request = NULL WHERE state = 'running'`+dead, args, func(scan func(...any) error) error {
			k, err := scanExecution(scan)
			lost = append(lost, k)
			return err
		})
	})
	if err != nil {
		return nil, nil, storeError("adopt executions", err)
	}
	return queued, lost, nil
}
