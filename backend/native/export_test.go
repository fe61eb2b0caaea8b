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

// StretchPatience has b wait longer for what is its own to do, on a slow machine.
func StretchPatience(b *Backend, stretch func(time.Duration) time.Duration) {
	for _, d := range []*time.Duration{&b.probeTimeout, &b.warmTimeout, &b.helloTimeout, &b.endTimeout, &b.birthPatience} {
		*d = stretch(*d)
	}
}

// InstanceName is what b's groups are called.
func InstanceName(b *Backend) string { return b.instance.name() }
