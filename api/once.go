package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// maxOnce is the length of an idempotency key, in bytes.
const maxOnce = 255

// answerOnce runs the handler, at most once for each idempotency key.
func (s *Server) answerOnce(w *answer, r *http.Request, c *call) {
	if c.route.is(pieces) { // its handler calls once itself, when it knows the body
		s.inner.ServeHTTP(w, r)
		return
	}
	if err := s.once(w, r, c.whole.bytes(), func(w http.ResponseWriter, r *http.Request) error {
		s.inner.ServeHTTP(w, r)
		return nil
	}); err != nil {
		s.refuse(w, r, err)
	}
}

// once calls do unless the key of the request has an answer already: then it
// gives that. What do answers is kept before it is sent; a refusal is not kept,
// so that the request can be tried again. What panicked may have made something all
// the same: the next try has its id, and finds that.
func (s *Server) once(w http.ResponseWriter, r *http.Request, body []byte, do func(http.ResponseWriter, *http.Request) error) error {
	key, reservation, err := s.claim(r, body)
	if err != nil {
		return err
	}
	if key == "" {
		return do(w, r)
	}
	c := callOf(r.Context())
	if !reservation.Mine {
		defer s.going.add(c.who.Tenant, len(reservation.Body))()
		return s.replay(w, r, reservation)
	}
	c.reserved = reservation.Execution
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding") // whoever asks next may not take what this one does
	kept := &keptAnswer{header: http.Header{}}
	settled := false
	defer func() {
		if !settled {
			s.handOn(r.Context(), c, key)
		}
	}()
	failed := do(kept, r)
	err = s.finish(r.Context(), c, key, kept, failed)
	if settled = true; err != nil {
		return err
	}
	defer s.going.add(c.who.Tenant, kept.body.Len())()
	kept.send(w)
	return nil
}

// claim takes the idempotency key of a request; key is "" when it has none, or
// none is heeded here.
func (s *Server) claim(r *http.Request, body []byte) (key string, got cellwall.Reservation, err error) {
	if key, err = s.onceKey(r); key == "" || err != nil {
		return "", got, err
	}
	got, err = s.reserve(r, key, body)
	return key, got, err
}

// onceKey reads the idempotency key of a request.
func (s *Server) onceKey(r *http.Request) (string, error) {
	given := r.Header.Values("Idempotency-Key")
	if len(given) == 0 || !callOf(r.Context()).route.is(once) {
		return "", nil
	}
	if key := given[0]; len(given) > 1 || key == "" || len(key) > maxOnce || strings.Trim(key, printable) != "" {
		return "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read Idempotency-Key",
			Err: fmt.Errorf("it is empty, longer than %d characters, or not all of it can be printed", maxOnce),
		}
	}
	if s.opts.Once == nil {
		return "", nil
	}
	return given[0], nil
}

// earlier is the id of what a request before this one has made, or may have, under
// its idempotency key; "" = there was none.
func (s *Server) earlier(r *http.Request, prefix string) (string, error) {
	key, err := s.onceKey(r)
	if key == "" || err != nil {
		return "", err
	}
	reserved, err := s.opts.Once.Reserved(r.Context(), callerOf(r.Context()).Tenant, key)
	if reserved == "" || err != nil {
		return "", err
	}
	return cellwall.IDBeside(prefix, reserved), nil
}

// printable is ASCII that shows, and the space.
var printable = func() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

// reserve takes the key, or waits for the one who has it.
func (s *Server) reserve(r *http.Request, key string, body []byte) (cellwall.Reservation, error) {
	ctx := r.Context()
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", r.Method, r.URL.RequestURI())
	hash.Write(body)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		got, err := s.opts.Once.Reserve(ctx, callerOf(ctx).Tenant, key, [32]byte(hash.Sum(nil)), callOf(ctx).route.is(result))
		if err != nil || got.Mine || got.Done {
			return got, err
		}
		select {
		case <-ctx.Done():
			return got, &cellwall.Error{
				Code: cellwall.CodeConflict, Op: "wait for the first request of this Idempotency-Key", Err: ctx.Err(),
				Hint: "it still works: send the same request again", RetryAfter: time.Second,
			}
		case <-time.After(wait):
		}
	}
}

// finish keeps an answer that the work led to, and gives the key free otherwise.
func (s *Server) finish(ctx context.Context, c *call, key string, kept *keptAnswer, failed error) error {
	ctx = context.WithoutCancel(ctx) // the client may be gone; its next try must find this
	if failed == nil && kept.status/100 == 2 {
		return s.fix(ctx, c, key, kept.status, kept.body.Bytes())
	}
	return errors.Join(failed, s.free(ctx, c, key))
}

// fix keeps the answer of a key. One that cannot be kept leaves what it made to the
// next try.
func (s *Server) fix(ctx context.Context, c *call, key string, status int, body []byte) error {
	err := s.opts.Once.Finish(ctx, c.who.Tenant, key, status, body)
	if err != nil {
		s.handOn(ctx, c, key)
	}
	return err
}

// free gives a key back whose request led to no answer.
func (s *Server) free(ctx context.Context, c *call, key string) error {
	if key == "" {
		return nil
	}
	return s.opts.Once.Release(ctx, c.who.Tenant, key)
}

// handOn gives a key to the next try, as the death of this service would: with the same
// id, so that what was made under it is made no second time.
func (s *Server) handOn(ctx context.Context, c *call, key string) {
	if key == "" {
		return
	}
	if err := s.opts.Once.HandOn(context.WithoutCancel(ctx), c.who.Tenant, key); err != nil {
		s.opts.Logger.Error("hand an idempotency key on", "request_id", c.id, "error", err)
	}
}
