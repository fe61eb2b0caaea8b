package fetch

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// cache keeps answers, each for one tenant: those that were used last, up to a
// number of bytes and of files.
type cache struct {
	most int64

	mu    sync.Mutex
	bytes int64
	known map[cacheKey]*answer
}

type cacheKey struct{ tenant, url string }

// answer is one that is kept.
type answer struct {
	key      cacheKey
	file     Fetched
	etag     string
	modified string
	until    time.Time // fresh
	used     time.Time
}

const mostKept = 256

func newCache(most int64) *cache { return &cache{most: most, known: map[cacheKey]*answer{}} }

// handle is an answer that somebody looks at: its file stays until he drops or
// gives it. Nil is none.
type handle struct {
	answer // as it was
	of     *answer
}

// look finds what is kept of an address.
func (c *cache) look(tenant, url string) *handle {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.known[cacheKey{tenant, url}]
	if a == nil {
		return nil
	}
	a.used = time.Now()
	a.file.shared.take()
	return &handle{*a, a}
}

func (h *handle) fresh() bool { return h != nil && time.Now().Before(h.until) }

// ask asks whether it is still the same.
func (h *handle) ask(header http.Header) {
	if h == nil {
		return
	}
	if h.etag != "" {
		header.Set("If-None-Match", h.etag)
	}
	if h.modified != "" {
		header.Set("If-Modified-Since", h.modified)
	}
}

// give hands the file over.
func (h *handle) give(most int64) (*Fetched, error) {
	got := h.file
	if got.Bytes > most {
		h.drop()
		return nil, tooLarge(most)
	}
	got.Cached = true
	return &got, nil
}

func (h *handle) drop() {
	if h != nil {
		_ = h.file.Close() // of a file without a name: nothing is lost
	}
}

// keep remembers what has come, if it may be.
func (c *cache) keep(tenant string, got *Fetched, h http.Header) {
	fresh, keep := freshness(h)
	key := cacheKey{tenant, got.URL}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(key)
	if !keep || got.Bytes > c.most {
		return
	}
	a := &answer{key: key, file: *got, etag: h.Get("Etag"), modified: h.Get("Last-Modified"), until: time.Now().Add(fresh), used: time.Now()}
	a.file.shared.take()
	c.known[key] = a
	c.bytes += got.Bytes
	for c.bytes > c.most || len(c.known) > mostKept {
		c.forget(c.oldest())
	}
}

// confirm goes on with an answer that is still the same.
func (c *cache) confirm(h *handle, header http.Header) {
	fresh, _ := freshness(header)
	c.mu.Lock()
	defer c.mu.Unlock()
	h.of.until = time.Now().Add(fresh)
}

func (c *cache) oldest() (key cacheKey) {
	var used time.Time
	for k, a := range c.known {
		if used.IsZero() || a.used.Before(used) {
			key, used = k, a.used
		}
	}
	return key
}

func (c *cache) forget(key cacheKey) {
	if a := c.known[key]; a != nil {
		c.bytes -= a.file.Bytes
		delete(c.known, key)
		_ = a.file.Close() // of a file without a name: nothing is lost
	}
}

func (c *cache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for key, a := range c.known {
		errs = append(errs, a.file.Close())
		delete(c.known, key)
	}
	c.bytes = 0
	return errors.Join(errs...)
}
