package apitest

import (
	"testing"
	"time"
)

// await asks again until it is so. Its bound is a guard against hanging.
func await(t *testing.T, otherwise string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}
