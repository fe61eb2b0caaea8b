package cellwall_test

import (
	"testing"

	"github.com/cellwall/cellwall"
)

func TestIDFor_IsTheSameAtEachTryAndNewWhereNothingIsReserved(t *testing.T) {
	reserved := cellwall.NewID(cellwall.PrefixExecution)
	if got := cellwall.IDFor(cellwall.PrefixExecution, reserved); got != reserved {
		t.Errorf("of the same kind it is %s, reserved is %s", got, reserved)
	}
	once, again := cellwall.IDFor(cellwall.PrefixDataset, reserved), cellwall.IDFor(cellwall.PrefixDataset, reserved)
	if once != again || !cellwall.ValidID(cellwall.PrefixDataset, once) {
		t.Errorf("%s, and then %s", once, again)
	}
	if one, other := cellwall.IDFor(cellwall.PrefixDataset, ""), cellwall.IDFor(cellwall.PrefixDataset, ""); one == other || !cellwall.ValidID(cellwall.PrefixDataset, one) {
		t.Errorf("new ones are %s and %s", one, other)
	}
}
