package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// A tenant keeps no more of what its code printed than of what it uploaded: there is
// one room for both, and when it is full nothing runs whose Result has none.
func TestQuota_ResultsHaveTheRoomOfTheirTenant(t *testing.T) {
	const room = 40 << 10
	s := fakeService(t, "--config", settingsFile(t, "[tenants.tiny]\nstore_bytes = \"40KiB\"\n[tenants.free]\n"))
	tiny, free := makeKey(t, s, "tiny", "execute", "admin"), makeKey(t, s, "free", "execute")
	loud := execution("out " + strings.Repeat("x", 50_000))
	kept, narrowed, status, text := 0, false, 200, ""
	for runs := 0; status == 200 && runs < 50; runs++ {
		if status, _, text = s.ask(tiny, "POST", "/v1/executions", loud); status == 200 {
			kept += len(text)
			narrowed = narrowed || s.result(text).Stdout.Truncated
		}
	}
	var p struct{ Code, Hint string }
	if err := json.Unmarshal([]byte(text), &p); err != nil || status != 413 || p.Code != string(cellwall.CodeTooLarge) || p.Hint == "" {
		t.Errorf("with no room it is %d %s", status, text)
	}
	if kept < room || kept > room+int(leastRoom) || !narrowed {
		t.Errorf("%d bytes of results are kept where there is room for %d, narrowed: %v", kept, room, narrowed)
	}
	if status, _, text := s.ask(free, "POST", "/v1/executions", loud); status != 200 || s.result(text).Stdout.Truncated {
		t.Errorf("a tenant without a bound: %d, %d bytes", status, len(text))
	}
	status, _, text = s.ask(tiny, "GET", "/v1/usage", "")
	var used struct{ Items []cellwall.UsageRow }
	if err := json.Unmarshal([]byte(text), &used); err != nil || status != 200 || len(used.Items) != 1 || used.Items[0].Bytes != int64(kept) {
		t.Errorf("of %d bytes the usage says %d %s", kept, status, text)
	}
}
