package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"

	"github.com/cellwall/cellwall"
)

// finish keeps an answer; nothing when there is no such key. One that is the Result
// of the key's own execution is not kept a second time: the row of that has it.
const finish = `UPDATE once SET status = $1, answer = CASE WHEN EXISTS (SELECT 1 FROM executions e
	WHERE e.tenant = once.tenant AND e.id = once.execution AND e.result = $2) THEN NULL ELSE $2 END WHERE tenant = $3 AND k = $4`

// The statuses of answers that follow from the execution's own row.
const (
	statusOK       = 200
	statusAccepted = 202
)

// Reserve takes an idempotency key for a request whose body has this hash, and
// the execution's id with it. It outlives this process when Reserve returns.
// CodeConflict: the key was used with another body.
//
// With result a key whose execution is kept already needs no Finish: done, its
// answer is 200 with the Result; accepted, it is 202 without a body. A key of a
// service that died before its answer was kept goes to who asks next, with the
// same id: what that service has made under it stands, and is made no second time.
func (s *Store) Reserve(ctx context.Context, tenant, key string, body [32]byte, result bool) (cellwall.Reservation, error) {
	fresh := cellwall.NewID(cellwall.PrefixExecution)
	sum := hex.EncodeToString(body[:])
	var got cellwall.Reservation
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `INSERT INTO once (tenant, k, body, execution, instance, status, at) VALUES ($1, $2, $3, $4, $5, 0, $6)
			ON CONFLICT (tenant, k) DO NOTHING`, tenant, key, sum, fresh, s.instance, micros(s.now()))
		if err != nil {
			return err
		}
		if n == 1 {
			got = cellwall.Reservation{Mine: true, Execution: fresh}
			return nil
		}
		got, err = s.reserved(ctx, t, tenant, key, sum, result)
		return err
	})
	if err != nil {
		return cellwall.Reservation{}, storeError("reserve idempotency key", err)
	}
	return got, nil
}

// Reserved is the execution's id of a key that was used before; "" = it was not.
func (s *Store) Reserved(ctx context.Context, tenant, key string) (id string, err error) {
	err = s.db.row(ctx, `SELECT execution FROM once WHERE tenant = $1 AND k = $2`, tenant, key).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", storeError("find idempotency key", err)
	}
	return id, nil
}

// reserved is what a key stands for that was used before.
func (s *Store) reserved(ctx context.Context, t *tx, tenant, key, sum string, result bool) (r cellwall.Reservation, err error) {
	var body, state string
	var gone, elsewhere bool
	var said []byte
	err = t.row(ctx, `SELECT o.body, o.execution, o.status, o.answer, o.answer IS NULL, coalesce(e.state, ''), e.result,
			NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = o.instance AND i.at >= $1)
		FROM once o LEFT JOIN executions e ON e.tenant = o.tenant AND e.id = o.execution
		WHERE o.tenant = $2 AND o.k = $3`, s.deadline(), tenant, key).Scan(&body, &r.Execution, &r.Status, &r.Body, &elsewhere, &state, &said, &gone)
	switch {
	case errors.Is(err, sql.ErrNoRows): // released in between, by a service beside this one
		return r, refused{&cellwall.Error{
			Code: cellwall.CodeConflict, Op: "reserve idempotency key", Err: errors.New("it is being used"), Hint: "try again",
		}}
	case err != nil:
		return r, err
	case body != sum:
		return r, refused{&cellwall.Error{
			Code: cellwall.CodeConflict, Op: "reserve idempotency key", Err: errors.New("it was used for another request"),
			Hint: "use a new key for a new request",
		}}
	case r.Status == statusOK && elsewhere && said == nil:
		return r, refused{&cellwall.Error{
			Code: cellwall.CodeConflict, Op: "answer again", Err: errors.New("the result of " + r.Execution + " is kept no longer"),
			Hint: "use a new key to run it again; its record stays",
		}}
	case r.Status != 0:
		if r.Done = true; elsewhere {
			r.Body = said
		}
	case result && state == string(cellwall.WorkDone):
		r.Done, r.Status, r.Body = true, statusOK, said
	case result && state != "":
		r.Done, r.Status = true, statusAccepted
	case gone:
		r.Mine = true
		_, err = t.exec(ctx, `UPDATE once SET instance = $1 WHERE tenant = $2 AND k = $3`, s.instance, tenant, key)
	}
	return r, err
}

// Finish keeps the answer that a key stands for from now on.
func (s *Store) Finish(ctx context.Context, tenant, key string, status int, body []byte) error {
	if body == nil {
		body = []byte{} // NULL stands for a Result
	}
	err := s.writer.write(ctx, len(body), func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, finish, status, body, tenant, key)
		return err
	})
	if err != nil {
		return storeError("keep answer", err)
	}
	return nil
}

// Release forgets a reservation that led to no answer.
func (s *Store) Release(ctx context.Context, tenant, key string) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, `DELETE FROM once WHERE tenant = $1 AND k = $2 AND status = 0`, tenant, key)
		return err
	})
	if err != nil {
		return storeError("release idempotency key", err)
	}
	return nil
}

// HandOn gives up a reservation of this service whose request broke off: nobody knows
// what it has made. It goes to who asks next, as that of a service that died does.
func (s *Store) HandOn(ctx context.Context, tenant, key string) error {
	err := s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, `UPDATE once SET instance = '' WHERE tenant = $1 AND k = $2 AND status = 0 AND instance = $3`, tenant, key, s.instance)
		return err
	})
	if err != nil {
		return storeError("hand on idempotency key", err)
	}
	return nil
}
