package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// Answer is what an idempotency key shall stand for.
type Answer struct {
	Key    string // "" = there is none
	Status int
	Body   []byte
}

// KeepExecution keeps an execution that is done, its record on the way to the
// log, its artifacts, the answer of its idempotency key and what its tenant is
// told, all or nothing. The contents of the artifacts are kept before. The entry
// counts as not in the log until [Store.Recorded].
func (s *Store) KeepExecution(
	ctx context.Context, k cellwall.KeptExecution, entry []byte, artifacts []cellwall.Artifact, answer Answer, told ...cellwall.Happening,
) error {
	metadata, err := metadataText(k.Metadata)
	if err != nil {
		return err
	}
	k.State = cellwall.WorkDone
	err = s.writer.write(ctx, len(entry)+len(k.Result), func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `INSERT INTO executions (tenant, id, session, subject, key_id, at, state, status, metadata, instance, result)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			ON CONFLICT (tenant, id) DO UPDATE SET state = excluded.state, status = excluded.status, result = excluded.result,
			request = NULL WHERE executions.state IN ('queued', 'running')`,
			k.Identity.Tenant, k.ID, k.Session, k.Identity.Subject, k.Identity.Key, micros(k.At), string(k.State), string(k.Status),
			metadata, s.instance, k.Result)
		if err != nil {
			return err
		}
		if n == 0 {
			return refused{&cellwall.Error{Code: cellwall.CodeConflict, Op: "keep execution", Err: errors.New(k.ID + " is over already")}}
		}
		if err := keepEntry(ctx, t, entryRow{k.Identity.Tenant, k.ID, k.At, entry}); err != nil {
			return err
		}
		if err := s.appendEvents(ctx, t, told); err != nil {
			return err
		}
		if err := keepArtifacts(ctx, t, k, artifacts); err != nil || answer.Key == "" {
			return err
		}
		_, err = t.exec(ctx, finish, answer.Status, answer.Body, k.Identity.Tenant, answer.Key)
		return err
	})
	if err != nil {
		return storeError("keep execution", err)
	}
	return nil
}

const executionColumns = `tenant, id, session, subject, key_id, at, state, status, metadata`

// Execution returns one of the tenant's, with its Result.
func (s *Store) Execution(ctx context.Context, tenant, id string) (cellwall.KeptExecution, error) {
	var result, request []byte
	k, err := scanExecution(s.db.row(ctx, `SELECT `+executionColumns+`, result, request FROM executions WHERE tenant = $1 AND id = $2`,
		tenant, id).Scan, &result, &request)
	if errors.Is(err, sql.ErrNoRows) {
		return k, missing("execution")
	}
	if err != nil {
		return k, storeError("find execution", err)
	}
	k.Result, k.Request = result, request
	return k, nil
}

// ResultBytes is how long the Result of one of the tenant's is, 0 = it has none. It
// costs no look at the Result itself.
func (s *Store) ResultBytes(ctx context.Context, tenant, id string) (n int64, err error) {
	err = s.db.row(ctx, `SELECT coalesce(length(result), 0) FROM executions WHERE tenant = $1 AND id = $2`, tenant, id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, missing("execution")
	}
	if err != nil {
		return 0, storeError("find execution", err)
	}
	return n, nil
}

// Executions lists the tenant's, newest first, without their Results.
func (s *Store) Executions(ctx context.Context, tenant string, page cellwall.Page) (list []cellwall.KeptExecution, next string, err error) {
	from, err := startOf(page)
	if err != nil {
		return nil, "", err
	}
	err = s.db.query(ctx, `SELECT `+executionColumns+` FROM executions WHERE tenant = $1 AND (at, id) < ($2, $3)
		ORDER BY at DESC, id DESC LIMIT $4`, []any{tenant, from.at, from.id, from.limit + 1}, func(scan func(...any) error) error {
		k, err := scanExecution(scan)
		list = append(list, k)
		return err
	})
	if err != nil {
		return nil, "", storeError("list executions", err)
	}
	list, next = cut(list, from.limit, func(k cellwall.KeptExecution) start { return start{at: micros(k.At), id: k.ID} })
	return list, next, nil
}

func scanExecution(scan func(...any) error, more ...any) (k cellwall.KeptExecution, err error) {
	var at int64
	var metadata string
	into := []any{&k.Identity.Tenant, &k.ID, &k.Session, &k.Identity.Subject, &k.Identity.Key, &at, &k.State, &k.Status, &metadata}
	if err := scan(append(into, more...)...); err != nil {
		return k, err
	}
	k.At = fromMicros(at)
	if metadata != "" {
		err = json.Unmarshal([]byte(metadata), &k.Metadata)
	}
	return k, err
}

func metadataText(m map[string]string) (string, error) {
	if len(m) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("keep metadata: %w", err)
	}
	return string(raw), nil
}
