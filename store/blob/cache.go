package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// cache is a directory of contents that are kept elsewhere, those that were used
// last, up to a number of bytes. Who has one open keeps it, removed or not.
type cache struct {
	dir  string
	most int64

	mu      sync.Mutex
	bytes   int64
	known   map[string]*cached
	fetched map[string]*fetch
}

type cached struct {
	bytes int64
	used  time.Time
}

// fetch is a copy on its way; who wants the same waits for it.
type fetch struct {
	done chan struct{}
	err  error
}

func openCache(dir string, most int64) (*cache, error) {
	c := &cache{dir: dir, most: most, known: map[string]*cached{}, fetched: map[string]*fetch{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			c.known[e.Name()] = &cached{bytes: info.Size(), used: info.ModTime()}
			c.bytes += info.Size()
		}
	}
	c.shrink()
	return c, nil
}

// open gives a content, fetched once however many ask.
func (c *cache) open(ctx context.Context, place string, get func(*Staged) error) (*os.File, error) {
	for {
		if f, err := c.look(place); f != nil || err != nil {
			return f, err
		}
		mine, begun := c.begin(place)
		if mine {
			f, err := c.fill(place, get)
			c.finish(place, begun, err)
			return f, err
		}
		select {
		case <-begun.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// Its caller may have gone away, which is no reason for us to.
		if begun.err != nil && !errors.Is(begun.err, context.Canceled) && !errors.Is(begun.err, context.DeadlineExceeded) {
			return nil, begun.err
		}
	}
}

// look opens what is there.
func (c *cache) look(place string) (*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.known[place]
	if have == nil {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(c.dir, place))
	if errors.Is(err, fs.ErrNotExist) { // somebody tidied the directory
		c.forget(place)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open content: %w", err)
	}
	have.used = time.Now()
	return f, nil
}

func (c *cache) begin(place string) (mine bool, f *fetch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.fetched[place]; f != nil {
		return false, f
	}
	f = &fetch{done: make(chan struct{})}
	c.fetched[place] = f
	return true, f
}

func (c *cache) finish(place string, f *fetch, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.fetched, place)
	f.err = err
	close(f.done)
}

// fill copies a content and looks whether it is what its place says.
func (c *cache) fill(place string, get func(*Staged) error) (*os.File, error) {
	want, err := sumOf(place)
	if err != nil {
		return nil, err
	}
	staged, err := stage(filepath.Join(filepath.Dir(c.dir), dirIncoming))
	if err != nil {
		return nil, err
	}
	defer staged.Close()
	if err := get(staged); err != nil {
		return nil, err
	}
	if staged.SHA256() != want {
		return nil, gone(place, errors.New("it is damaged: its hash is another one"))
	}
	f, err := os.Open(staged.path)
	if err != nil {
		return nil, fmt.Errorf("open content: %w", err)
	}
	c.adopt(place, staged)
	return f, nil
}

// adopt makes a staged content one of the cache. Nothing is lost when it cannot.
func (c *cache) adopt(place string, s *Staged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[place] != nil || os.Rename(s.path, filepath.Join(c.dir, place)) != nil {
		return
	}
	c.known[place] = &cached{bytes: s.bytes, used: time.Now()}
	c.bytes += s.bytes
	c.shrink()
}

func (c *cache) drop(place string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(place)
}

// forget removes one. The caller holds mu.
func (c *cache) forget(place string) {
	if have := c.known[place]; have != nil {
		_ = os.Remove(filepath.Join(c.dir, place)) // it costs space and nothing else
		delete(c.known, place)
		c.bytes -= have.bytes
	}
}

// shrink removes those that were not used for longest, a tenth more than it must.
// The caller holds mu.
func (c *cache) shrink() {
	if c.bytes <= c.most {
		return
	}
	places := make([]string, 0, len(c.known))
	for place := range c.known {
		places = append(places, place)
	}
	slices.SortFunc(places, func(a, b string) int {
		return cmp.Or(c.known[a].used.Compare(c.known[b].used), cmp.Compare(a, b))
	})
	for _, place := range places {
		if c.bytes <= c.most-c.most/10 {
			return
		}
		c.forget(place)
	}
}
