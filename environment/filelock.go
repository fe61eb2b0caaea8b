package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cellwall/cellwall/internal/filelock"
)

// lockFile takes an exclusive lock on path, which it creates. When somebody
// else holds it, waiting is called once and lockFile waits until the lock is
// free or ctx ends. The kernel drops the lock of a process that died.
func lockFile(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for first := true; ; first = false {
		f, err := filelock.Open(path, 0o644)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if first && waiting != nil {
			waiting()
		}
		// A blocking flock cannot be cancelled, so ask again now and then.
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
