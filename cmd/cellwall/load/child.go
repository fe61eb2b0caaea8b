package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Child carries out the orders of standard input and returns an exit status.
func Child([]string) int {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		return 1
	}
	return 0
}

// longestLine bounds an order.
const longestLine = 1 << 20

func serve(in io.Reader, out io.Writer) error {
	client := &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 10_000, DisableCompression: true},
		Timeout:   2 * time.Minute,
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		var order Order
		if err := json.Unmarshal(lines.Bytes(), &order); err != nil {
			return fmt.Errorf("read order: %w", err)
		}
		if err := answers.Encode(carryOut(client, order)); err != nil {
			return fmt.Errorf("write what was seen: %w", err)
		}
	}
	return lines.Err()
}

// carryOut runs the streams beside each other to the last answer.
func carryOut(client *http.Client, order Order) answer {
	a := answer{Saw: make([]Saw, len(order.Streams))}
	errs := make([]error, len(order.Streams))
	var all sync.WaitGroup
	for i, s := range order.Streams {
		all.Go(func() {
			a.Saw[i], errs[i] = (&stream{Stream: s, client: client, url: order.URL}).run(context.Background())
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		a.Error = err.Error()
	}
	return a
}
