package native_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestZZ(t *testing.T) {
	b := open(t)
	for _, name := range strings.Fields(os.Getenv("ZZ")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("=====", name)
		n := begin(t, b, cellwall.Limits{CPUs: 2, Processes: 256, MemoryBytes: 1 << 30})
		for _, src := range strings.Split(string(text), "#---\n") {
			if strings.HasPrefix(src, "#sleep") {
				time.Sleep(time.Second)
			}
			c := n.code(src)
			c.Timeout = 8 * time.Second
			var out string
			from := time.Now()
			end, err := n.Cell(context.Background(), c, func(_ context.Context, e cellwall.Event) error {
				if e.Kind == cellwall.EventStdout || e.Kind == cellwall.EventStderr || e.Kind == cellwall.EventError || e.Kind == cellwall.EventNotice {
					out += fmt.Sprintf("%s:%s|", e.Kind, e.Data)
				}
				return nil
			})
			first, _, _ := strings.Cut(strings.TrimSpace(src), "\n")
			fmt.Printf("[%s] %s %s met=%v ref=%v err=%v %dms\n    %s\n", first, end.Status, end.Cause, end.Met, end.Refused, err, time.Since(from).Milliseconds(), out)
			if end.Restored != nil {
				fmt.Printf("    restored %+v\n", *end.Restored)
			}
		}
	}
}
