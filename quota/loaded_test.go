package quota

import (
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// Whoever waits for a change asks for nothing but the revision: the keys must be in
// force when it is told.
func TestDesk_TellsARevisionWhenItsKeysAreInForce(t *testing.T) {
	var told []int64
	d := open(t, newBook(acme(cellwall.Terms{})), func(o *Options) { o.Loaded = func(n int64) { told = append(told, n) } })
	defer d.Close()
	text, k, err := d.NewKey(t.Context(), acme(cellwall.Terms{}).ID, "", []string{cellwall.ScopeExecute}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || told[1] != told[0]+1 || d.Revision() != told[1] {
		t.Errorf("told %v, in force %d", told, d.Revision())
	}
	if _, err := d.Authenticate(t.Context(), text); err != nil {
		t.Error(err)
	}
	if err := d.Revoke(t.Context(), "", k.ID); err != nil || len(told) != 3 {
		t.Errorf("%v, told %v", err, told)
	}
	if _, err := d.Authenticate(t.Context(), text); err == nil {
		t.Error("a revoked key opens something")
	}
}
