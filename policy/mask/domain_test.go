package mask_test

import (
	"fmt"
	"testing"
)

// A pass remembers how domains ended. No number of others, and no way to write one,
// may change what it says of the next.
func TestM15_AnAddressIsJudgedAlikeWhateverCameBefore(t *testing.T) {
	pass := newMasker(nil).Begin()
	for n := range 300 {
		ending := fmt.Sprintf("q%03dz", n) // given out to nobody
		for text, want := range map[string]string{
			"ask wei@mail." + ending: "ask wei@mail." + ending,
			"ask wei@example.com":    "ask w**@example.com",
			"ask wei@EXAMPLE.COM":    "ask w**@EXAMPLE.COM",
			"ask wei@mail.corp":      "ask w**@mail.corp",
		} {
			if got := pass.Text(text); got != want {
				t.Fatalf("after %d others: %q became %q, not %q", n, text, got, want)
			}
		}
	}
}
