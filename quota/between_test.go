package quota

import (
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

func TestM3_TimeBetweenCellsIsTimeOfBudgets(t *testing.T) {
	d, who := desk(t, cellwall.Terms{Budget: cellwall.Budget{Time: time.Minute}, SubjectBudget: cellwall.Budget{Time: time.Second}})
	defer d.Close()
	who.Subject = "ann"
	d.Between(who, 900*time.Millisecond)
	if _, stop, err := d.Enter(who); stop != nil || err != nil {
		t.Fatal(stop, err)
	}
	d.Between(who, 300*time.Millisecond)
	if _, stop, _ := d.Enter(who); stop == nil || *stop != (cellwall.Stop{Reason: cellwall.StopTime, Limit: 1000, Used: 1200}) {
		t.Errorf("ann behind 1.2 s of one: %+v", stop)
	}
	if used := d.Budget(who.Tenant, "").Used; used != (cellwall.Budget{Time: 1200 * time.Millisecond}) {
		t.Errorf("of the tenant's minute %+v", used)
	}
	who.Subject = "bob"
	if _, stop, err := d.Enter(who); stop != nil || err != nil {
		t.Error("bob pays for ann:", stop, err)
	}
}
