package audit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// guard notices when records cannot be written, and holds room for those of what
// runs then.
type guard struct {
	mu      sync.Mutex
	path    string // of the reserve; "" = none is held
	size    int64
	failed  error
	fails   int       // how often something failed
	held    bool      // the reserve is there
	since   time.Time // of failed
	retryAt time.Time
}

// retryEvery is how often a log that failed is tried again.
const retryEvery = time.Second

// Guard holds bytes of the disk in reserve. When the disk is full they are given
// up for the records of what runs already, and Healthy says so until they can be
// had again.
func (l *Log) Guard(bytes int64) error {
	l.guard.mu.Lock()
	defer l.guard.mu.Unlock()
	l.guard.path, l.guard.size = filepath.Join(l.dir, "reserve"), bytes
	return l.guard.fill()
}

// Gap is the entry that says for how long records could not be written.
type Gap struct {
	V     int       `json:"v"` // 1
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	Since time.Time `json:"since"`
}

// Healthy returns why records cannot be written now, nil when they can. After a
// failure it tries again once a second, with the entry that tells of it, which has
// to reach the disk.
func (l *Log) Healthy() error {
	g := &l.guard
	g.mu.Lock()
	failed, fails, now := g.failed, g.fails, time.Now()
	try := failed != nil && !now.Before(g.retryAt)
	if try {
		g.retryAt = now.Add(retryEvery)
	}
	since := g.since
	g.mu.Unlock()
	if !try {
		return failed
	}
	if err := g.refill(); err != nil {
		return err
	}
	if err := l.Append(now, Gap{V: 1, Kind: "gap", At: now.UTC(), Since: since.UTC()}); err != nil {
		return err
	}
	_ = l.sync.Flush() // a failure counts like any other that came meanwhile
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fails == fails {
		g.failed = nil
	}
	return g.failed
}

// note keeps what became of a write.
func (g *guard) note(err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fail(err)
}

// fail keeps the failure. The caller holds mu.
func (g *guard) fail(err error) {
	now := time.Now()
	if g.failed == nil {
		g.since = now
	}
	g.failed, g.fails, g.retryAt = err, g.fails+1, now.Add(retryEvery)
}

// release gives the reserve up; false when there is none.
func (g *guard) release() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.held {
		return false
	}
	g.held = false
	g.fail(errors.New("the disk is full"))
	return os.Truncate(g.path, 0) == nil
}

// refill is fill for who does not hold mu.
func (g *guard) refill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path == "" {
		return nil
	}
	return g.fill()
}

// fill writes the reserve, with what no file system can pack. The caller holds mu.
func (g *guard) fill() error {
	if info, err := os.Stat(g.path); err == nil && info.Size() == g.size {
		g.held = true
		return nil
	}
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("hold disk in reserve: %w", err)
	}
	content := make([]byte, g.size)
	rand.Read(content)
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(0))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("hold disk in reserve: %w", err)
	}
	g.held = true
	return nil
}
