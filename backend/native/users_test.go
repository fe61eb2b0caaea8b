package native

import "testing"

func TestUsers_OneLineOfTheMapHoldsTheRange(t *testing.T) {
	for _, tc := range []struct {
		name, idMap string
		want        bool
	}{
		{"Everything", "         0          0 4294967295\n", true},
		{"OneID", "0 1000 1\n", false},
		{"ARangeBelow", "0 100000 65536\n", false},
		{"TheRangeItself", "0 0 1\n1073741824 5 65536\n", true},
		{"OneTooFew", "1073741824 5 65535\n", false},
		{"NoMap", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := covers(tc.idMap, uidBase, uidRange); got != tc.want {
				t.Errorf("covers %q: %v, want %v", tc.idMap, got, tc.want)
			}
		})
	}
}
