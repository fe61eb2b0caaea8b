package native

import "testing"

func TestLookReadsTheParentAndTheWardensNumber(t *testing.T) {
	for _, tc := range []struct {
		name, status string
		want         look
		fails        bool
	}{
		{name: "Session", status: "Name:\tpython3\nPid:\t900\nPPid:\t40\nNSpid:\t900\t12\t2\n", want: look{40, 12, 2}},
		{name: "ControllerInAContainer", status: "PPid:\t40\nNSpid:\t7\t900\t12\t2\n", want: look{40, 12, 2}},
		{name: "NameThatLies", status: "Name:\tNSpid:\nPPid:\t40\nNSpid:\t900\t12\t2\n", want: look{40, 12, 2}},
		{name: "NoNamespaceBelow", status: "PPid:\t40\nNSpid:\t900\n", fails: true},
		{name: "OldKernel", status: "PPid:\t40\n", fails: true},
		{name: "ParentOutOfSight", status: "PPid:\t0\nNSpid:\t900\t12\t2\n", fails: true},
		{name: "NoNumber", status: "PPid:\tx\nNSpid:\t900\t12\t2\n", fails: true},
		{name: "Nothing", status: "", fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseLook(tc.status)
			if (err != nil) != tc.fails || got != tc.want {
				t.Errorf("got %+v, %v; want %+v, failure %v", got, err, tc.want, tc.fails)
			}
		})
	}
}
