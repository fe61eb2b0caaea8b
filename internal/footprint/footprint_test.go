package footprint

import "testing"

// A peak that has passed is told, and one from before the watch is not.
func TestWatch_TellsThePeakSince(t *testing.T) {
	const size = 64 << 20
	fill(size)
	now, peak, err := Watch()
	if err != nil {
		t.Fatal(err)
	}
	if at, err := peak(); err != nil || at > now+size/2 {
		t.Errorf("a peak from before the watch is told: %d after %d, %v", at, now, err)
	}
	fill(size)
	if at, err := peak(); err != nil || at < now+size*3/4 {
		t.Errorf("%d bytes were held, and the peak went from %d to %d, %v", size, now, at, err)
	}
}

// fill holds so many bytes for a moment.
func fill(size int) {
	block := make([]byte, size)
	for i := range block {
		block[i] = 1
	}
}
