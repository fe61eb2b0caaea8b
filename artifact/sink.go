package artifact

import (
	"context"
	"io"
)

// Stored says what a Sink took.
type Stored struct {
	SHA256 string // hex
	Bytes  int64
}

// Sink takes the content of one artifact. It reads content to its end and
// keeps nothing when reading fails; it returns that error wrapped. Content
// that it cannot keep is an error that ends the harvest.
type Sink interface {
	Put(ctx context.Context, content io.Reader) (Stored, error)
}
