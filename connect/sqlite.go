package connect

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// sqlite is a file of SQLite on this host, which nobody here reads.
type sqlite struct {
	*connection
	path string
}

func checkSQLite(c *connection) (source, error) {
	path := c.url.Opaque
	if path == "" {
		path = c.url.Path
	}
	switch {
	case c.url.Host != "" || c.url.User != nil || c.url.RawQuery != "" || !filepath.IsAbs(path):
		return nil, errors.New("its url is not sqlite: and an absolute path")
	case c.User != "" || c.SecretFile != "" || c.SecretEnv != "":
		return nil, errors.New("a file has neither a user nor a secret")
	}
	return sqlite{c, path}, nil
}

func (q sqlite) takes(ask Ask) error {
	if ask.Key != "" || ask.Prefix != "" || (ask.Table == "") == (ask.Query == "") {
		return badAsk("it is a database", "give a table or a query")
	}
	return nil
}

//go:embed sqlite.py
var sqliteProgram string

const sqliteFile = "source.db"

// read copies the file, and says what a sandbox is to do with it.
func (q sqlite) read(_ context.Context, ask Ask, _ secret, out *full) (*Snapshot, error) {
	if err := q.copy(out); err != nil {
		return nil, err
	}
	name := "query.parquet"
	if ask.Table != "" {
		name = ask.Table + ".parquet"
	}
	said, err := json.Marshal(map[string]any{"table": ask.Table, "query": ask.Query, "rows": q.Rows})
	if err == nil {
		said, err = json.Marshal(string(said))
	}
	if err != nil {
		return nil, fmt.Errorf("write what is asked for: %w", err)
	}
	return &Snapshot{Name: name, Program: fmt.Sprintf("_asked = %s\n", said) + sqliteProgram, File: sqliteFile, Leaves: leaves}, nil
}

var errWritten = errors.New("it is being written to")

// copy copies the file while nobody changes it: under the lock that SQLite's readers
// hold, without changes that lie beside it, and unchanged from before to after.
func (q sqlite) copy(out *full) error {
	f, err := os.OpenFile(q.path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return failed("its file cannot be opened", "the operator has to look at it", err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil || !before.Mode().IsRegular() {
		return failed("its file is not a regular one", "the operator has to look at it", err)
	}
	if err := q.still(f); err != nil {
		return err
	}
	if _, err := io.Copy(out, f); err != nil {
		return err
	}
	after, err := f.Stat()
	if err != nil {
		return failed("its file cannot be looked at", "the operator has to look at it", err)
	}
	if err := q.still(f); err != nil {
		return err
	}
	if before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) || out.n != after.Size() {
		return failed("its file was written to meanwhile", "try again", errWritten)
	}
	return nil
}

// The bytes of a file that SQLite's locks are on; there is nothing there.
const (
	pendingByte = 0x40000000
	sharedFirst = pendingByte + 2
	sharedSize  = 510
)

// still takes the lock of a reader, which whoever writes waits for, and looks for
// changes that are not in the file yet.
func (q sqlite) still(f *os.File) error {
	for _, at := range []syscall.Flock_t{{Start: pendingByte, Len: 1}, {Start: sharedFirst, Len: sharedSize}} {
		at.Type = syscall.F_RDLCK
		if err := syscall.FcntlFlock(f.Fd(), fOFDSetLock, &at); err != nil {
			return failed("its file is being written to", "try again", err)
		}
	}
	pending := syscall.Flock_t{Type: syscall.F_UNLCK, Start: pendingByte, Len: 1}
	if err := syscall.FcntlFlock(f.Fd(), fOFDSetLock, &pending); err != nil {
		return failed("its file is being written to", "try again", err)
	}
	for _, beside := range []string{"-wal", "-journal"} {
		info, err := os.Stat(q.path + beside)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("its file cannot be looked at", "the operator has to look at it", err)
		}
		if err == nil && info.Size() > 0 {
			return failed("it has changes that are not in its file yet", "its writers have to finish: PRAGMA wal_checkpoint(TRUNCATE), or a copy by VACUUM INTO",
				fmt.Errorf("%s%s is not empty", filepath.Base(q.path), beside))
		}
	}
	return nil
}

// fOFDSetLock sets a lock of the open file: one of the process would go when any
// descriptor of the file is closed.
const fOFDSetLock = 37
