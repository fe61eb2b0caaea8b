package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// stream is one that is under way.
type stream struct {
	Stream
	client *http.Client
	url    string
	began  time.Time

	mu   sync.Mutex
	left int // calls that nobody has begun, with Runs
	saw  Saw
}

func (s *stream) run(ctx context.Context) (Saw, error) {
	if (s.Runs > 0) == (s.For > 0) || s.PerSecond > 0 && s.For <= 0 {
		return Saw{}, errors.New("a stream has either a number of calls or a time, and an open one has a time")
	}
	s.left, s.saw.Other, s.began = s.Runs, map[string]int{}, time.Now()
	var calls sync.WaitGroup
	if s.PerSecond > 0 {
		s.arrivals(ctx, &calls)
	} else {
		for range max(1, s.Callers) {
			calls.Go(func() { s.caller(ctx) })
		}
	}
	calls.Wait()
	s.saw.Took = time.Since(s.began)
	return s.saw, nil
}

// caller asks, waits for the answer, and asks again.
func (s *stream) caller(ctx context.Context) {
	for {
		pause(ctx, s.Pause)
		if !s.more() {
			return
		}
		s.call(ctx)
	}
}

// more reports whether another call is to be made, and counts it.
func (s *stream) more() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.For > 0 {
		return time.Since(s.began) < s.For
	}
	s.left--
	return s.left >= 0
}

// arrivals begins calls at random moments whose mean distance is 1/PerSecond. One
// that comes late, because this process had no processor, does not move those
// behind it.
func (s *stream) arrivals(ctx context.Context, calls *sync.WaitGroup) {
	at := time.Duration(0)
	for {
		at += time.Duration(rand.ExpFloat64() / s.PerSecond * float64(time.Second))
		if at >= s.For {
			return
		}
		pause(ctx, at-time.Since(s.began))
		calls.Go(func() { s.call(ctx) })
	}
}

// call makes one request and keeps what came of it.
func (s *stream) call(ctx context.Context) {
	began := time.Now()
	status, body, err := s.post(ctx)
	ended := time.Now()
	took := ended.Sub(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.saw.Other[err.Error()]++
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		s.saw.Refused = append(s.saw.Refused, took)
	case status == http.StatusOK && endedWell(body):
		s.saw.OK = append(s.saw.OK, took)
		if s.For <= 0 || ended.Sub(s.began) <= s.For {
			s.saw.Done++
		}
	default:
		s.saw.Other[fmt.Sprintf("%d %.200s", status, body)]++
	}
}

func endedWell(body []byte) bool {
	var result struct {
		OK bool `json:"ok"`
	}
	return json.Unmarshal(body, &result) == nil && result.OK
}

func (s *stream) post(ctx context.Context) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(s.Body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Api-Key", s.Key)
	res, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
