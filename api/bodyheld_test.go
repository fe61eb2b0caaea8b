package api

import (
	"io"
	"runtime"
	"strings"
	"testing"
)

// What is thrown away while a body comes is counted nowhere: it must be little.
func TestBody_that_says_its_length_costs_little_more_than_that(t *testing.T) {
	s, err := New(Options{Keys: oneKey{}, Work: noWork{}, Recorder: oneKey{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const size = 16 << 20
	text := strings.Repeat("x", size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body, err := s.readHeld(&call{}, io.MultiReader(strings.NewReader(text[:5]), strings.NewReader(text[5:])), size)
	runtime.ReadMemStats(&after)
	if err != nil || string(body) != text {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > size*3/2 {
		t.Errorf("a body of %d bytes cost %d", size, cost)
	}
}
