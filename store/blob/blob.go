package blob

import (
	"context"
	"os"
	"time"
)

// Store keeps contents. Its methods may be called concurrently, by several
// services on the same contents.
type Store interface {
	// Stage makes an empty file on this host, on the way into the store. The caller
	// closes it, kept or not.
	Stage() (*Staged, error)
	// Keep stores a staged content for good under a new place. When it returns,
	// the content is as durable as the store is.
	Keep(ctx context.Context, s *Staged) (place string, err error)
	// Open gives a content as a file of this host, at its beginning. CodeNotFound:
	// it is not there, or not what its place says.
	Open(ctx context.Context, place string) (*os.File, error)
	// Delete removes a content; one that is not there is no error.
	Delete(ctx context.Context, place string) error
	// Each tells every place, and since when it is there.
	Each(ctx context.Context, do func(place string, at time.Time) error) error
	Close() error
}
