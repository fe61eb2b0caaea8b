package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cellwall/cellwall/internal/writeback"
)

// The most that one write takes: what came later waits for the next one, and
// nobody longer than two of them.
const (
	batchEntries = 256
	batchBytes   = 4 << 20
)

// Log appends entries to a directory. It is safe for concurrent use.
type Log struct {
	dir   string
	guard guard
	stats stats
	sync  *writeback.Syncer

	mu      sync.Mutex
	idle    *sync.Cond // nobody writes
	waiting []*pending
	writing bool

	// Of whoever writes.
	head *os.File
	day  string // of file
	file *os.File
}

// pending is an entry that waits for its write.
type pending struct {
	day   string
	entry []byte
	done  chan error
}

// Open opens the log below dir, which it makes (mode 0700).
func Open(dir string) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	l := &Log{dir: dir}
	l.sync = writeback.New(l.guard.note)
	l.idle = sync.NewCond(&l.mu)
	return l, nil
}

// Append writes entry, which must be a JSON object, as one line of the file of
// at's UTC day, or of a later day that has one already: the chain never goes
// back. It returns when the line is written: it outlives this process then, and a
// moment later the machine's power, see [writeback.Within]. Entries of callers that
// come while a write is under way share the next one.
func (l *Log) Append(at time.Time, entry any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // it is read by people and programs, never by a browser
	if err := enc.Encode(entry); err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	raw := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
	if len(raw) < 2 || raw[0] != '{' {
		return fmt.Errorf("encode record: %T is no JSON object", entry)
	}
	p := &pending{day: at.UTC().Format(time.DateOnly), entry: raw, done: make(chan error, 1)}
	l.mu.Lock()
	l.waiting = append(l.waiting, p)
	if !l.writing {
		l.writing = true
		go l.write()
	}
	l.mu.Unlock()
	return <-p.done
}

// write writes batches until nobody waits.
func (l *Log) write() {
	for {
		batch := l.take()
		if batch == nil {
			return
		}
		began := time.Now()
		err := l.append(batch)
		l.stats.count(len(batch), time.Since(began))
		l.guard.note(err)
		if err != nil {
			err = fmt.Errorf("append record: %w", err)
		}
		for _, p := range batch {
			p.done <- err
		}
	}
}

// take returns what waits, as far as one write shall go; nil when nothing does.
func (l *Log) take() (batch []*pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := 0
	for len(batch) < len(l.waiting) && len(batch) < batchEntries && (size == 0 || size < batchBytes) {
		p := l.waiting[len(batch)]
		if len(batch) > 0 && p.day != batch[0].day {
			break // a write goes into one file
		}
		size += len(p.entry)
		batch = append(batch, p)
	}
	l.waiting = l.waiting[len(batch):]
	if len(batch) == 0 {
		l.waiting, l.writing = nil, false
		l.idle.Broadcast()
	}
	return batch
}

// Close waits for the writes under way, brings them to the disk and closes the
// open files. The log may be used again afterwards.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.writing {
		l.idle.Wait()
	}
	errs := []error{l.sync.Flush()}
	for _, f := range []**os.File{&l.file, &l.head} {
		if *f != nil {
			errs = append(errs, (*f).Close())
			*f = nil
		}
	}
	return errors.Join(errs...)
}

// headFile is the name of the file that holds the chain's end.
func headFile(dir string) string { return filepath.Join(dir, "head") }
