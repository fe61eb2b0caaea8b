package native

import "time"

// SetEndTimeout shortens how long b waits for the end of a sandbox.
func SetEndTimeout(b *Backend, d time.Duration) { b.endTimeout = d }
