package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cellwall/cellwall"
)

// Ask is what somebody wants to have: exactly one of Table, Query, Key and Prefix.
type Ask struct {
	Who        cellwall.Identity
	Allowed    []string // the connections of its tenant's terms
	Connection string
	Table      string // of a database: name, or schema.name
	Query      string // of a database: one SELECT
	Key        string // of a bucket, below the connection's prefix
	Prefix     string // of a bucket, likewise: the objects below it are parts of one table
	MaxBytes   int64  // 0 = the connection's
}

// Snapshot is what was read.
type Snapshot struct {
	Name string // of the dataset
	// Program makes the dataset of the content in a sandbox where that lies as File, and
	// leaves a file Leaves. "" = the content is the dataset.
	Program string
	File    string
	Leaves  string

	file  *os.File
	bytes int64
}

// Reader reads the content from its beginning.
func (s *Snapshot) Reader() io.Reader { return io.NewSectionReader(s.file, 0, s.bytes) }

// Bytes is how long the content is.
func (s *Snapshot) Bytes() int64 { return s.bytes }

// Close gives it back.
func (s *Snapshot) Close() error { return s.file.Close() }

// leaves is what the programs write.
const leaves = "snapshot.parquet"

// source is a kind of connection.
type source interface {
	// takes refuses an ask that is not for this kind.
	takes(ask Ask) error
	// read writes what is asked for into out, which fails when it is full.
	read(ctx context.Context, ask Ask, s secret, out *full) (*Snapshot, error)
}

// Snapshot reads what is asked for, see doc.go. The entry is filled in whatever comes
// of it. The caller closes what it is given.
func (b *Book) Snapshot(ctx context.Context, ask Ask) (got *Snapshot, entry Entry, err error) {
	entry = newEntry(ask)
	defer func() { entry.end(got, err) }()
	c := b.all[ask.Connection]
	if c == nil || !slices.Contains(ask.Allowed, ask.Connection) {
		return nil, entry, &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: opSnapshot, Err: fmt.Errorf("this tenant has no connection %.64q", ask.Connection),
			Hint: "the operator names them: connections in the tenant's terms",
		}
	}
	if err := c.from.takes(ask); err != nil {
		return nil, entry, err
	}
	s, err := c.secret()
	if err != nil {
		return nil, entry, failed("its secret cannot be read", "the operator has to look at it", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	got, err = b.fill(ctx, c, ask, s)
	return got, entry, scrubbed(err, s)
}

// fill reads into a file without a name.
func (b *Book) fill(ctx context.Context, c *connection, ask Ask, s secret) (*Snapshot, error) {
	file, err := spool(b.dir)
	if err != nil {
		return nil, err
	}
	out := &full{w: file, most: c.Bytes}
	if ask.MaxBytes > 0 {
		out.most = min(out.most, ask.MaxBytes)
	}
	got, err := c.from.read(ctx, ask, s, out)
	if err == nil && out.n == 0 && got.Program == "" {
		err = &cellwall.Error{Code: cellwall.CodeDatasetUnreadable, Op: opSnapshot, Err: errors.New("there is nothing in it"), Hint: "ask for something else"}
	}
	if err != nil {
		if ctx.Err() != nil && cellwall.CodeOf(err) == cellwall.CodeSourceFailed {
			err = failed("it takes too long", "ask for less", err)
		}
		return nil, errors.Join(err, file.Close())
	}
	got.file, got.bytes = file, out.n
	return got, nil
}

// spool makes a file that has no name.
func spool(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "snapshot-")
	if err != nil {
		return nil, fmt.Errorf("make room for a snapshot: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make room for a snapshot: %w", err), file.Close())
	}
	return file, nil
}

// full is a file that takes so many bytes and no more.
type full struct {
	w       io.Writer
	n, most int64
}

func (f *full) Write(p []byte) (int, error) {
	if f.n+int64(len(p)) > f.most {
		return 0, tooLarge(fmt.Sprintf("more than %d bytes", f.most))
	}
	n, err := f.w.Write(p)
	f.n += int64(n)
	if err != nil {
		return n, fmt.Errorf("write snapshot: %w", err)
	}
	return n, nil
}
