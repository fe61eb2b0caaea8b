package audit_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cellwall/cellwall/audit"
)

func TestStats_count_batches_and_what_shared_them(t *testing.T) {
	l := open(t, t.TempDir())
	if got := l.Stats(); got != (audit.Stats{}) {
		t.Errorf("%+v before anything was written", got)
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			if err := l.Append(noon, entry{V: 1, ID: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := l.Stats(); got.Entries != 40 || got.Batches < 1 || got.Batches > 40 || got.Took <= 0 {
		t.Errorf("%+v", got)
	}
}
