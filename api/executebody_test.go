package api

import (
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// "timeout … default 30 (null = default); cpu_limit … default 1.0; mem_limit "1G"",
// and 100 processes.
func TestExecute_Defaults(t *testing.T) {
	want := cellwall.Limits{Timeout: 30 * time.Second, CPUs: 1, MemoryBytes: cellwall.GiB, Processes: 100}
	for _, body := range []string{`{"code":"1"}`, `{"code":"1","timeout":null,"cpu_limit":null,"mem_limit":null}`} {
		e, faults := readExecute([]byte(body))
		if len(faults) > 0 || e.limits() != want || e.returns || len(e.files) > 0 {
			t.Errorf("%s: %+v, %v", body, e, faults)
		}
	}
	for text, bytes := range map[string]int64{"1G": 1 << 30, "512m": 512 << 20, "2 GiB": 2 << 30, "1.5g": 3 << 29, "134217728": 128 << 20, "65536kb": 64 << 20} {
		e, faults := readExecute([]byte(`{"code":"1","mem_limit":"` + text + `"}`))
		if len(faults) > 0 || e.memory != bytes {
			t.Errorf("mem_limit %s: %d bytes, %v", text, e.memory, faults)
		}
	}
}

// "A tenant's ceiling caps all of them."
func TestExecute_TheCeilingCapsEveryLimit(t *testing.T) {
	asked := cellwall.Limits{Timeout: 300 * time.Second, CPUs: 8, MemoryBytes: 8 * cellwall.GiB, Processes: 100}
	ceiling := cellwall.Limits{Timeout: time.Second, CPUs: 0.5, MemoryBytes: 64 * cellwall.MiB, Processes: 7}
	if got := capped(asked, ceiling); got != ceiling {
		t.Errorf("%+v, want %+v", got, ceiling)
	}
	if got := capped(ceiling, asked); got != ceiling {
		t.Errorf("less than the ceiling: %+v, want %+v", got, ceiling)
	}
	if got := capped(asked, cellwall.Limits{}); got != asked {
		t.Errorf("without a ceiling: %+v, want %+v", got, asked)
	}
}
