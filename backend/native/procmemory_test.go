package native

import (
	"os"
	"testing"
)

func TestFaultsAreThoseOfTheProcessWhateverItsName(t *testing.T) {
	for _, tc := range []struct {
		stat  string
		want  int64
		fails bool
	}{
		{stat: "7 (python3) S 1 7 7 0 -1 4194304 1234 0 0 0", want: 1234},
		{stat: "7 (a) S 9 9 9 9 9 9 9) S 1 7 7 0 -1 4194304 1234 0", want: 1234},
		{stat: "7 (python3) S 1", fails: true},
		{stat: "", fails: true},
	} {
		if got, err := parseFaults(tc.stat); got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%q: %d, %v; want %d, failure %v", tc.stat, got, err, tc.want, tc.fails)
		}
	}
}

func TestMemoryOfThisProcessIsTold(t *testing.T) {
	before, err := faults(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	held := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		held[i] = 1
	}
	after, err := faults(os.Getpid())
	if err != nil || after <= before {
		t.Errorf("%d faults, then %d, %v; want more", before, after, err)
	}
	for name, read := range map[string]func(int) (int64, error){"unshared": unshared, "anonymous": anonymous} {
		if got, err := read(os.Getpid()); err != nil || got < size {
			t.Errorf("%s: %d bytes, %v; want %d at least", name, got, err, size)
		}
	}
	held[0]++
	if _, err := kilobytes("Private_Clean:", "Private_Clean"); err == nil {
		t.Error("a line without a number was read")
	}
}
