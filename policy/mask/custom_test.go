package mask_test

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/policy/mask"
)

func TestM15_CustomPatternsAreMasked(t *testing.T) {
	pass := newMasker(map[string]string{"employee": `EMP-[0-9]{6}`, "plate": `[京沪粤][A-Z][A-Z0-9]{5}`}).Begin()
	got := pass.Text("EMP-204417 drives 沪A12B45,\nand calls 13800003380; EMP-2 is nobody")
	if want := "********** drives ＊******,\nand calls *******3380; EMP-2 is nobody"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c := pass.Counts(); c["employee"] != 1 || c["plate"] != 1 || c["phone"] != 1 {
		t.Errorf("counts are %v", c)
	}
}

func TestM15_APatternThatCannotBeMeantIsRefused(t *testing.T) {
	for kind, text := range map[string]string{
		"broken": "(", "phone": "x", "Upper": "x", "": "x", "everywhere": "a*", "lookahead": "(?=x)", "long": strings.Repeat("a", 600),
	} {
		if _, err := mask.New(map[string]string{kind: text}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s = %q: %v", kind, text, err)
		}
	}
}
