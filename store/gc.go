package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// collectBatch bounds how long one step of the collection holds writers up.
const collectBatch = 100

// unused says in SQL that nobody refers to a content.
const unused = `NOT EXISTS (SELECT 1 FROM datasets d WHERE d.sha256 = contents.sha256)
	AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.sha256 = contents.sha256)
	AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.sha256 = contents.sha256)`

// Collect removes the contents that no row refers to and nobody holds, and says
// how many. The row goes first, in the step that sees that nothing refers to
// it; a content that is stored again afterwards has another place.
func (s *Store) Collect(ctx context.Context) (removed int, err error) {
	for {
		places, err := s.collect(ctx)
		if err != nil {
			return removed, err
		}
		for _, place := range places {
			if err := s.contents.Delete(ctx, place); err != nil {
				return removed, fmt.Errorf("collect contents: %w", err) // the sweep finds it
			}
			removed++
		}
		if len(places) < collectBatch {
			return removed, nil
		}
	}
}

func (s *Store) collect(ctx context.Context) (places []string, err error) {
	now := micros(s.now())
	err = s.writer.write(ctx, 0, func(ctx context.Context, t *tx) error {
		places = nil
		return t.query(ctx, `DELETE FROM contents WHERE held_until < $1 AND sha256 IN (SELECT sha256 FROM contents
			WHERE held_until < $1 AND `+unused+` LIMIT $2) AND `+unused+` RETURNING place`, []any{now, collectBatch},
			func(scan func(...any) error) error {
				var place string
				err := scan(&place)
				places = append(places, place)
				return err
			})
	})
	if err != nil {
		return nil, storeError("collect contents", err)
	}
	return places, nil
}

// Sweep removes contents that no row knows: their writer died between place and
// row, or their collector between row and place.
func (s *Store) Sweep(ctx context.Context) (removed int, err error) {
	before := s.now().Add(-orphanAge)
	var errs []error
	err = s.contents.Each(ctx, func(place string, at time.Time) error {
		if at.After(before) {
			return nil
		}
		var known int
		if err := s.db.row(ctx, `SELECT count(*) FROM contents WHERE place = $1`, place).Scan(&known); err != nil {
			return err
		}
		if known > 0 {
			return nil
		}
		if err := s.contents.Delete(ctx, place); err != nil {
			errs = append(errs, err)
			return nil
		}
		removed++
		return nil
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return removed, storeError("sweep contents", err)
	}
	return removed, nil
}
