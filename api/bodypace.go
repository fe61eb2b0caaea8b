package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/cellwall/cellwall"
)

// pacedBody ends a client that sends too slowly, and says in our words why a
// body could not be read.
type pacedBody struct {
	body       io.ReadCloser
	bound      int64
	size       int64 // -1 = not announced
	connection *http.ResponseController
	answer     http.Header
	patience   time.Duration
	got        int64
	until      time.Time // when its patience is over
	set        time.Time // the deadline that the connection has
	ended      bool
	end        func() // hears once that it has come to its end, or failed
}

// A body may take Options.BodyPatience, and a second more for each slowest bytes. It
// cannot save that up: at no time it has more than BodyPatience left, so that who
// sent fast and then stops is let go as soon as who never began.
const (
	bodyPatience = 20 * time.Second
	slowest      = 16 << 10
)

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return b.body.Read(p)
	}
	if b.set.IsZero() || b.until.Sub(b.set) >= b.patience/16 {
		b.set = b.until
		_ = b.connection.SetReadDeadline(b.until) // a recorder in a test has none
	}
	n, err := b.body.Read(p)
	b.got += int64(n)
	b.pace(time.Now(), n)
	if err != nil || b.got == b.size {
		b.ended = true
		b.end()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.answer.Set("Connection", "close") // else net/http would wait for the rest
		return n, b.explain(err)
	}
	if b.ended {
		_ = b.connection.SetReadDeadline(time.Time{}) // else it would end the run as a client that has gone
	}
	return n, err
}

// pace says how long a body may still take of which n bytes came just now.
func (b *pacedBody) pace(now time.Time, n int) {
	b.until = b.until.Add(time.Duration(n) * time.Second / slowest)
	if most := now.Add(b.patience); b.until.After(most) {
		b.until = most
	}
}

// explain puts the error of a read into words.
func (b *pacedBody) explain(err error) error {
	var long *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &long):
		return tooLong(b.bound)
	case errors.As(err, &timeout) && timeout.Timeout():
		return wrong(http.StatusRequestTimeout, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read body", Err: errors.New("it came too slowly"),
			Hint: fmt.Sprintf("send at least %d KiB in a second, or upload in pieces", slowest>>10),
		})
	case errors.Is(err, context.Canceled):
		return err
	}
	return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read body", Err: errors.New("it ended early or is damaged")}
}

func (b *pacedBody) Close() error { return b.body.Close() }
