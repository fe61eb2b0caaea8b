package store

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// BenchmarkKeepExecution is what a request pays for its rows: alone, and with
// others at the same time. "ms/p50" and "ms/p99" are of one call.
func BenchmarkKeepExecution(b *testing.B) {
	for _, c := range []struct {
		name  string
		atOne int
	}{{"alone", 1}, {"8 at once", 8}, {"100 at once", 100}} {
		b.Run(c.name, func(b *testing.B) {
			s, err := Open(b.Context(), schemeSQLite+filepath.Join(b.TempDir(), "service.db"), Options{Serve: true})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			entry, result := make([]byte, 3<<10), make([]byte, 2<<10)
			took := make([]time.Duration, b.N)
			work := make(chan int)
			var wg sync.WaitGroup
			for range c.atOne {
				wg.Go(func() {
					for i := range work {
						k := cellwall.KeptExecution{
							ID: cellwall.NewID("exec"), Identity: cellwall.Identity{Tenant: "tnt_a"}, At: time.Now(), Status: cellwall.StatusOK, Result: result,
						}
						began := time.Now()
						if err := s.KeepExecution(context.Background(), k, entry, nil, Answer{}); err != nil {
							b.Error(err)
						}
						took[i] = time.Since(began)
					}
				})
			}
			b.ResetTimer()
			for i := range b.N {
				work <- i
			}
			close(work)
			wg.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "ms/p50")
			b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "ms/p99")
		})
	}
}
