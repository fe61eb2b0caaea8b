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

	"github.com/cellwall/cellwall/internal/filelock"
)

// Log appends entries to a directory. It is safe for concurrent use.
type Log struct {
	dir string

	mu   sync.Mutex
	day  string // of file
	file *os.File
}

// Open opens the log below dir, which it makes (mode 0700).
func Open(dir string) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	return &Log{dir: dir}, nil
}

// Append writes entry as one line of the file of at's UTC day.
func (l *Log) Append(at time.Time, entry any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // it is read by people and programs, never by a browser
	if err := enc.Encode(entry); err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.turn(at.UTC().Format(time.DateOnly)); err != nil {
		return fmt.Errorf("open record file: %w", err)
	}
	if err := appendLine(l.file, line.Bytes()); err != nil {
		return fmt.Errorf("append record: %w", err)
	}
	return nil
}

// turn opens the file of day unless it is open. The caller holds mu.
func (l *Log) turn(day string) error {
	if l.file != nil && l.day == day {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.dir, day+".jsonl"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		err = l.file.Close()
	}
	l.file, l.day = f, day
	return err
}

// Close closes the open file. The log may be used again afterwards.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// appendLine writes line under the file's lock. What a short write left is
// taken back: the lock makes the end of the file ours.
func appendLine(f *os.File, line []byte) (err error) {
	if err := filelock.Take(f); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, filelock.Release(f)) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	start := info.Size()
	if whole, err := endsWhole(f, start); err != nil {
		return err
	} else if !whole {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return errors.Join(err, f.Truncate(start))
	}
	return nil
}

// endsWhole reports whether the last line of a file of size bytes is complete.
func endsWhole(f *os.File, size int64) (bool, error) {
	if size == 0 {
		return true, nil
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return last[0] == '\n', err
}
