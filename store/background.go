package store

import (
	"context"

	"github.com/cellwall/cellwall"
)

// Accept keeps an execution that waits for its turn, with what was asked, so
// that it is done even when this service dies.
func (s *Store) Accept(ctx context.Context, k cellwall.KeptExecution) error {
	err := s.writer.write(ctx, len(k.Request), func(ctx context.Context, t *tx) error {
		return s.accept(ctx, t, k, cellwall.WorkQueued)
	})
	if err != nil {
		return storeError("accept execution", err)
	}
	return nil
}

func (s *Store) accept(ctx context.Context, t *tx, k cellwall.KeptExecution, as cellwall.WorkState) error {
	metadata, err := metadataText(k.Metadata)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `INSERT INTO executions (tenant, id, session, subject, key_id, at, state, status, metadata, instance, request)
		VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9, $10)`,
		k.Identity.Tenant, k.ID, k.Session, k.Identity.Subject, k.Identity.Key, micros(k.At), string(as), metadata, s.instance, k.Request)
	return err
}

// Begin takes an accepted execution: it is told just before code is sent. It reports
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

// Take is Begin of an execution that waits in whichever service: whoever ends it must
// have it alone.
func (s *Store) Take(ctx context.Context, tenant, id string) (mine bool, err error) {
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `UPDATE executions SET state = 'running', instance = $1 WHERE tenant = $2 AND id = $3 AND state = 'queued'`,
			s.instance, tenant, id)
		mine = n == 1
		return err
	})
	if err != nil {
		return false, storeError("take execution", err)
	}
	return mine, nil
}

// Settle ends an accepted execution that came to nothing: with a Result, an entry
// on the way to the log and what its tenant is told, all or nothing. noted is
// true when its id has an entry already, which says more: that one stays.
func (s *Store) Settle(ctx context.Context, k cellwall.KeptExecution, entry []byte, told ...cellwall.Happening) (noted bool, err error) {
	err = s.writer.write(ctx, len(entry)+len(k.Result), func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `UPDATE executions SET state = 'done', status = $1, result = $2, request = NULL
			WHERE tenant = $3 AND id = $4 AND state IN ('queued', 'running')`, string(k.Status), k.Result, k.Identity.Tenant, k.ID)
		if err == nil && n == 0 {
			return refused{missing("execution")}
		}
		if err == nil {
			err = addStored(ctx, t, k.Identity.Tenant, int64(len(k.Result)))
		}
		if err != nil {
			return err
		}
		var entries int
		if err := t.row(ctx, `SELECT count(*) FROM entries WHERE tenant = $1 AND id = $2`, k.Identity.Tenant, k.ID).Scan(&entries); err != nil {
			return err
		}
		if noted = entries > 0; !noted {
			if err := keepEntry(ctx, t, entryRow{k.Identity.Tenant, k.ID, s.now(), entry}); err != nil {
				return err
			}
		}
		return s.appendEvents(ctx, t, told)
	})
	if err != nil {
		return false, storeError("settle execution", err)
	}
	return noted, nil
}

// Loss is what is kept of an execution that nobody knows the end of.
type Loss struct {
	Entry []byte
	Told  cellwall.Happening
}

// Adopt takes what services that died had accepted: queued ones are this
// service's from now on, with their Request; of those whose code was sent nobody
// knows what became, and they are lost. What lost says of each, which has its
// Request too, is kept in the same step: its entry counts as not in the log, see
// [Store.Unrecorded].
func (s *Store) Adopt(ctx context.Context, lost func(cellwall.KeptExecution) (Loss, error)) (queued []cellwall.KeptExecution, err error) {
	const dead = ` AND instance <> $1 AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = instance AND i.at >= $2)`
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		queued = nil
		args := []any{s.instance, s.deadline()}
		if err := t.query(ctx, `UPDATE executions SET instance = $1 WHERE state = 'queued'`+dead+` RETURNING `+executionColumns+`, request`, args,
			intoRequests(&queued)); err != nil {
			return err
		}
		var running []cellwall.KeptExecution
		if err := t.query(ctx, `UPDATE executions SET instance = $1 WHERE state = 'running'`+dead+` RETURNING `+executionColumns+`, request`, args,
			intoRequests(&running)); err != nil {
			return err
		}
		for _, k := range running {
			if err := s.lose(ctx, t, k, lost); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, storeError("adopt executions", err)
	}
	return queued, nil
}

func intoRequests(list *[]cellwall.KeptExecution) func(scan func(...any) error) error {
	return func(scan func(...any) error) error {
		var request []byte
		k, err := scanExecution(scan, &request)
		k.Request = request
		*list = append(*list, k)
		return err
	}
}

func (s *Store) lose(ctx context.Context, t *tx, k cellwall.KeptExecution, lost func(cellwall.KeptExecution) (Loss, error)) error {
	l, err := lost(k)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, `UPDATE executions SET state = 'lost', request = NULL WHERE tenant = $1 AND id = $2`, k.Identity.Tenant, k.ID); err != nil {
		return err
	}
	if err := keepEntry(ctx, t, entryRow{k.Identity.Tenant, k.ID, s.now(), l.Entry}); err != nil {
		return err
	}
	return s.appendEvents(ctx, t, []cellwall.Happening{l.Told})
}
