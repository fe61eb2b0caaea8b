package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/cellwall/cellwall/internal/writeback"
)

// Bounds of one batch: it must not let who comes behind it wait for long.
const (
	batchOps   = 256
	batchBytes = 4 << 20
)

// writer is the one goroutine that writes.
type writer struct {
	db    *database
	queue chan *op
	done  chan struct{}
	line  *line // of the goroutine, nil while there is none
	stats stats

	health health
	syncer *writeback.Syncer
	wal    string // that it syncs behind the commits; "" = the database syncs before it answers

	mu     sync.RWMutex // held for reading while something is put into queue
	closed bool
}

// op is one caller's part of a batch. do may run more than once: what it leaves
// in variables counts only when it was committed.
type op struct {
	ctx   context.Context
	bytes int // about, of what it writes
	do    func(context.Context, *tx) error
	err   chan error
}

var errClosed = errors.New("the store is closed")

func newWriter(db *database) *writer {
	w := &writer{db: db, queue: make(chan *op, batchOps), done: make(chan struct{})}
	w.syncer = writeback.New(w.health.lose)
	if db.dialect == goose.DialectSQLite3 {
		w.wal = db.path + "-wal"
	}
	go w.run()
	return w
}

// write waits until do is committed. When ctx ends before it began, nothing of
// it happens; afterwards it goes through.
func (w *writer) write(ctx context.Context, bytes int, do func(context.Context, *tx) error) error {
	o := &op{ctx: ctx, bytes: bytes, do: do, err: make(chan error, 1)}
	if err := w.put(o); err != nil {
		return err
	}
	return <-o.err
}

func (w *writer) put(o *op) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- o:
		return nil
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
}

// close lets what waits be written and ends the goroutine.
func (w *writer) close() error {
	w.mu.Lock()
	already := w.closed
	w.closed = true
	w.mu.Unlock()
	if !already {
		close(w.queue)
	}
	<-w.done
	return w.syncer.Flush()
}

func (w *writer) run() {
	defer close(w.done)
	for first := range w.queue {
		batch := w.gather(first)
		began := time.Now()
		answers := w.commit(batch)
		if w.wal != "" {
			w.syncer.Soon(w.wal)
		}
		w.stats.count(len(batch), time.Since(began))
		for i, o := range batch {
			o.err <- answers[i]
		}
	}
	if w.line != nil {
		w.line.close()
	}
}

// gather takes everything that waits. Nothing is waited for: while a batch is
// written the next one comes together.
func (w *writer) gather(first *op) []*op {
	batch, bytes := []*op{first}, first.bytes
	for len(batch) < batchOps && bytes < batchBytes {
		select {
		case o, open := <-w.queue:
			if !open {
				return batch
			}
			batch, bytes = append(batch, o), bytes+o.bytes
		default:
			return batch
		}
	}
	return batch
}

// commit writes a batch in one transaction, and says what became of each. When one
// of it fails, each is written in its own, so that it fails alone.
func (w *writer) commit(batch []*op) []error {
	ctx, cancel := w.db.patience()
	defer cancel()
	answers, sent, err := w.try(ctx, batch)
	w.health.note(err)
	alone := err != nil && !sent && (len(batch) > 1 || collided(err))
	for i, o := range batch {
		if alone {
			answers[i] = w.alone(ctx, o)
		} else {
			answers[i] = errors.Join(err, answers[i])
		}
	}
	return answers
}

// alone writes one, again when another writer of the database stood in its way.
func (w *writer) alone(ctx context.Context, o *op) error {
	for try := 1; ; try++ {
		answers, _, err := w.try(ctx, []*op{o})
		w.health.note(err)
		if err == nil || try == 5 || !collided(err) {
			return errors.Join(err, answers[0])
		}
	}
}
