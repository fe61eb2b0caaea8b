package native

import (
	"time"

	"github.com/cellwall/cellwall"
)

// Kill ends every process of a sandbox that runs nothing yet.
func Kill(s cellwall.Sandbox) error { return s.(*sandbox).end() }

// CloseStems ends every warden of b, as if they had grown old.
func CloseStems(b *Backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.stems {
		<-s.ready
		s.stem.close()
	}
}

// SetEndTimeout shortens how long b waits for the end of a sandbox.
func SetEndTimeout(b *Backend, d time.Duration) { b.endTimeout = d }

// InstanceName is what b's groups are called.
func InstanceName(b *Backend) string { return b.instance.name() }
