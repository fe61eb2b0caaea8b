package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

const approvalColumns = `tenant, id, kind, state, asked_key, asked_subject, at, expires, session, execution, tool, artifact, code, purpose, request,
	decided_key, decided_subject, decided_at, comment, outcome`

// Ask keeps something that waits for a person, with the execution that waits when
// there is one, its record on the way to the log and what its tenant is told, all or
// nothing. CodeRateLimited: most wait already.
func (s *Store) Ask(ctx context.Context, a cellwall.Approval, k *cellwall.KeptExecution, most int, note Note) error {
	err := s.writer.write(ctx, len(a.Request)+len(note.Entry), func(ctx context.Context, t *tx) error {
		var waiting int
		if err := t.row(ctx, `SELECT count(*) FROM approvals WHERE tenant = $1 AND state = 'waiting'`, a.Asked.Tenant).Scan(&waiting); err != nil {
			return err
		}
		if waiting >= most {
			return refused{&cellwall.Error{
				Code: cellwall.CodeRateLimited, Op: "wait for a person", Err: fmt.Errorf("%d requests wait already", waiting), Hint: "wait until some are decided",
			}}
		}
		if a.Kind == cellwall.ApprovalArtifact { // or another yes could undo a no
			var same int
			if err := t.row(ctx, `SELECT count(*) FROM approvals WHERE tenant = $1 AND kind = $2 AND artifact = $3 AND state <> $4`,
				a.Asked.Tenant, string(a.Kind), a.Artifact, string(cellwall.ApprovalExpired)).Scan(&same); err != nil {
				return err
			}
			if same > 0 {
				return refused{&cellwall.Error{
					Code: cellwall.CodeConflict, Op: "wait for a person", Err: errors.New("it was asked for already"), Hint: "ask again",
				}}
			}
		}
		if _, err := t.exec(ctx, `INSERT INTO approvals (`+approvalColumns+`, done, instance)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '', '', 0, '', '', 1, $16)`,
			a.Asked.Tenant, a.ID, string(a.Kind), string(cellwall.ApprovalWaiting), a.Asked.Key, a.Asked.Subject, micros(a.At), micros(a.Expires),
			a.Session, a.Execution, a.Tool, a.Artifact, a.Code, a.Purpose, string(a.Request), s.instance); err != nil {
			return err
		}
		if k != nil {
			if err := s.accept(ctx, t, *k, cellwall.WorkWaiting); err != nil {
				return err
			}
		}
		return s.keepNote(ctx, t, a.Asked.Tenant, note)
	})
	if err != nil {
		return storeError("wait for a person", err)
	}
	return nil
}

// Note is a record on its way to the log, and what its tenant is told with it.
type Note struct {
	ID    string
	At    time.Time
	Entry []byte
	Told  []cellwall.Happening
}

func (s *Store) keepNote(ctx context.Context, t *tx, tenant string, n Note) error {
	if err := keepEntry(ctx, t, entryRow{tenant, n.ID, n.At, n.Entry}); err != nil {
		return err
	}
	return s.appendEvents(ctx, t, n.Told)
}

// Decide keeps what was decided of one that waits, all or nothing: an execution waits
// for its turn from then on, with the request that it is given. Of a tool's call the
// decision is not done until [Store.Done]. CodeConflict: it is decided already.
func (s *Store) Decide(ctx context.Context, a cellwall.Approval, request []byte, note Note) error {
	done := 1
	if a.Kind == cellwall.ApprovalTool {
		done = 0
	}
	err := s.writer.write(ctx, len(request)+len(note.Entry), func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, `UPDATE approvals SET state = $1, request = $2, code = $3, decided_key = $4, decided_subject = $5, decided_at = $6, comment = $7,
			done = $8, instance = $9 WHERE tenant = $10 AND id = $11 AND state = 'waiting'`,
			string(a.State), string(a.Request), a.Code, a.Decided.Key, a.Decided.Subject, micros(a.DecidedAt), a.Comment, done, s.instance,
			a.Asked.Tenant, a.ID)
		if err == nil && n == 0 {
			return refused{&cellwall.Error{Code: cellwall.CodeConflict, Op: "decide", Err: errors.New("somebody has decided it already, or its time is over")}}
		}
		if err == nil && a.Kind == cellwall.ApprovalExecution {
			_, err = t.exec(ctx, `UPDATE executions SET state = 'queued', request = $1, instance = $2 WHERE tenant = $3 AND id = $4 AND state = 'waiting'`,
				request, s.instance, a.Asked.Tenant, a.Execution)
		}
		if err != nil {
			return err
		}
		return s.keepNote(ctx, t, a.Asked.Tenant, note)
	})
	if err != nil {
		return storeError("decide", err)
	}
	return nil
}

// Done keeps what came of a tool's call that was decided.
func (s *Store) Done(ctx context.Context, a cellwall.Approval) error {
	return s.change(ctx, "keep what was decided", "", `UPDATE approvals SET outcome = $1, done = 1 WHERE tenant = $2 AND id = $3`,
		string(a.Outcome), a.Asked.Tenant, a.ID)
}

// Undone takes over the decisions of services that died before they were done.
func (s *Store) Undone(ctx context.Context) (list []cellwall.Approval, err error) {
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		list = nil
		return t.query(ctx, `UPDATE approvals SET instance = $1 WHERE done = 0 AND instance <> $1
			AND NOT EXISTS (SELECT 1 FROM instances i WHERE i.id = instance AND i.at >= $2) RETURNING `+approvalColumns,
			[]any{s.instance, s.deadline()}, intoApprovals(&list))
	})
	if err != nil {
		return nil, storeError("find what was decided", err)
	}
	return list, nil
}

// Overdue lists those that wait although their time is over, or the session in which
// their code was to run.
func (s *Store) Overdue(ctx context.Context) (list []cellwall.Approval, err error) {
	err = s.db.query(ctx, `SELECT `+approvalColumns+` FROM approvals WHERE state = 'waiting' AND (expires <= $1
		OR kind = 'execution' AND session <> '' AND NOT EXISTS (SELECT 1 FROM sessions l WHERE l.tenant = approvals.tenant AND l.id = approvals.session))
		ORDER BY expires LIMIT 100`,
		[]any{micros(s.now())}, intoApprovals(&list))
	if err != nil {
		return nil, storeError("find what nobody decided", err)
	}
	return list, nil
}

// Approval returns one of the tenant's.
func (s *Store) Approval(ctx context.Context, tenant, id string) (cellwall.Approval, error) {
	return s.approval(ctx, `id = $2`, tenant, id)
}

// ApprovalOf returns the newest of the tenant's that an execution waits for, or that is
// of an artifact.
func (s *Store) ApprovalOf(ctx context.Context, tenant string, kind cellwall.ApprovalKind, thing string) (cellwall.Approval, error) {
	if kind == cellwall.ApprovalArtifact {
		return s.approval(ctx, `kind = 'artifact' AND artifact = $2`, tenant, thing)
	}
	return s.approval(ctx, `kind <> 'artifact' AND execution = $2`, tenant, thing)
}

func (s *Store) approval(ctx context.Context, which string, args ...any) (a cellwall.Approval, err error) {
	a, err = scanApproval(s.db.row(ctx, `SELECT `+approvalColumns+` FROM approvals WHERE tenant = $1 AND `+which+` ORDER BY at DESC LIMIT 1`, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return a, missing("approval")
	}
	if err != nil {
		return a, storeError("find approval", err)
	}
	return a, nil
}

// listedColumns are those of a list: what came of each is large, and for who asks for
// one.
var listedColumns = strings.TrimSuffix(approvalColumns, "outcome") + "'' AS outcome"

// Approvals lists the tenant's, newest first, without their outcomes; state "" is
// every one.
func (s *Store) Approvals(
	ctx context.Context, tenant string, state cellwall.ApprovalState, page cellwall.Page,
) (list []cellwall.Approval, next string, err error) {
	from, err := startOf(page)
	if err != nil {
		return nil, "", err
	}
	var part filling
	err = s.db.query(ctx, `SELECT `+listedColumns+` FROM approvals WHERE tenant = $1 AND (state = $2 OR $2 = '') AND (at, id) < ($3, $4)
		ORDER BY at DESC, id DESC LIMIT $5`, []any{tenant, string(state), from.at, from.id, from.limit + 1}, func(scan func(...any) error) error {
		a, err := scanApproval(scan)
		list = append(list, a)
		return errors.Join(err, part.add(len(a.Code), len(a.Request)))
	})
	if from.limit, err = part.limit(from.limit, err); err != nil {
		return nil, "", storeError("list approvals", err)
	}
	list, next = cut(list, from.limit, func(a cellwall.Approval) start { return start{at: micros(a.At), id: a.ID} })
	return list, next, nil
}

func intoApprovals(list *[]cellwall.Approval) func(scan func(...any) error) error {
	return func(scan func(...any) error) error {
		a, err := scanApproval(scan)
		*list = append(*list, a)
		return err
	}
}

func scanApproval(scan func(...any) error) (a cellwall.Approval, err error) {
	var at, expires, decided int64
	var request, outcome string
	err = scan(&a.Asked.Tenant, &a.ID, &a.Kind, &a.State, &a.Asked.Key, &a.Asked.Subject, &at, &expires, &a.Session, &a.Execution, &a.Tool, &a.Artifact,
		&a.Code, &a.Purpose, &request, &a.Decided.Key, &a.Decided.Subject, &decided, &a.Comment, &outcome)
	a.At, a.Expires, a.DecidedAt = fromMicros(at), fromMicros(expires), fromMicros(decided)
	a.Request, a.Outcome = unlessEmpty(request), unlessEmpty(outcome)
	if decided != 0 {
		a.Decided.Tenant = a.Asked.Tenant
	}
	return a, err
}
