package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/store/blob"
)

const (
	holdFor    = time.Hour        // how long a content may wait for the row that refers to it
	placeWait  = 30 * time.Minute // how long one may take to be known after it has a place
	orphanAge  = 2 * placeWait    // what is unknown for longer is nobody's
	copyBuffer = 256 << 10
)

// Content is bytes that were put into the store. Until a row refers to it, it is
// held for an hour.
type Content struct {
	SHA256 string
	Bytes  int64
}

// Put stores what r gives, once for all who store the same. CodeTooLarge as soon
// as it is more than most bytes; 0 = no bound.
func (s *Store) Put(ctx context.Context, r io.Reader, most int64) (Content, error) {
	staged, err := s.contents.Stage()
	if err != nil {
		return Content{}, storeError("store content", err)
	}
	defer staged.Close()
	if err := receive(ctx, staged, r, most); err != nil {
		return Content{}, err
	}
	return s.keepStaged(ctx, staged)
}

// receive copies until the end of r, its error or the bound.
func receive(ctx context.Context, to *blob.Staged, r io.Reader, most int64) error {
	buffer := make([]byte, copyBuffer)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buffer)
		if most > 0 && to.Bytes()+int64(n) > most {
			return &cellwall.Error{
				Code: cellwall.CodeTooLarge, Op: "store content", Err: fmt.Errorf("it has more than %d bytes", most), Hint: "store a part of it",
			}
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return storeError("store content", err)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("store content: %w", err)
		}
	}
}

// keepStaged makes a staged content one of the store's and holds it.
func (s *Store) keepStaged(ctx context.Context, staged *blob.Staged) (Content, error) {
	c := Content{SHA256: staged.SHA256(), Bytes: staged.Bytes()}
	if known, err := s.hold(ctx, c.SHA256); known || err != nil {
		return c, err
	}
	began := s.now()
	place, err := s.contents.Keep(ctx, staged)
	if err != nil {
		return c, storeError("store content", err)
	}
	if s.now().Sub(began) > placeWait { // it may count as nobody's by now
		return c, storeError("store content", errors.New("it took too long"))
	}
	// From here on the content is lost to who gives up: no row names it, and the
	// sweep takes it.
	var winner string
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		return t.row(ctx, `INSERT INTO contents (sha256, place, bytes, at, held_until) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (sha256) DO UPDATE SET held_until = CASE WHEN contents.held_until > excluded.held_until
			THEN contents.held_until ELSE excluded.held_until END RETURNING place`,
			c.SHA256, place, c.Bytes, micros(s.now()), micros(s.now().Add(s.holdFor))).Scan(&winner)
	})
	if err != nil {
		return c, storeError("store content", err)
	}
	if winner != place { // somebody else stored the same meanwhile
		if err := s.contents.Delete(ctx, place); err != nil {
			s.log.Warn("remove a second copy", "place", place, "error", err)
		}
	}
	return c, nil
}

// hold keeps a content that is there from being collected, and reports whether
// it is.
func (s *Store) hold(ctx context.Context, sum string) (known bool, err error) {
	var one int
	err = s.db.row(ctx, `SELECT 1 FROM contents WHERE sha256 = $1`, sum).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
			n, err := t.exec(ctx, `UPDATE contents SET held_until = $1 WHERE sha256 = $2`, micros(s.now().Add(s.holdFor)), sum)
			known = n == 1
			return err
		})
	}
	if err != nil {
		return false, storeError("store content", err)
	}
	return known, nil
}

// open gives a content as a file of this host. A row of the caller's refers to
// it.
func (s *Store) open(ctx context.Context, sum string) (*os.File, error) {
	var place string
	if err := s.db.row(ctx, `SELECT place FROM contents WHERE sha256 = $1`, sum).Scan(&place); err != nil {
		return nil, storeError("open content", err)
	}
	f, err := s.contents.Open(ctx, place)
	if err != nil {
		return nil, storeError("open content", err)
	}
	return f, nil
}
