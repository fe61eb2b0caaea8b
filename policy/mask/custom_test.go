package mask_test

import (
	"strings"
	"testing"
	"unicode/utf8"

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
		"large": strings.Repeat(`\pL{1000}`, 50), "optional": "a[0-9]{0,1000}b[0-9]{0,100}",
	} {
		if _, err := mask.New(map[string]string{kind: text}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%s = %q: %v", kind, text, err)
		}
	}
}

// Each is small enough, and not all of them together.
func TestM15_PatternsThatAreTooLargeTogetherAreRefusedByName(t *testing.T) {
	all := map[string]string{"badge": "B-[0-9]{900}", "note": "N-[0-9]{1000}", "staff": "EMP-[0-9]{300}"}
	_, err := mask.New(all)
	if cellwall.CodeOf(err) != cellwall.CodeBadRequest || !strings.Contains(err.Error(), `"note"`) || !strings.Contains(cellwall.HintOf(err), "[0-9]+") {
		t.Errorf("%v, hint %q", err, cellwall.HintOf(err))
	}
	all["note"] = "N-[0-9]+"
	if _, err := mask.New(all); err != nil {
		t.Errorf("as the hint has it: %v", err)
	}
}

// inPieces is what a stream makes of a text.
func inPieces(m *mask.Masker, text string, size int) (got string) {
	s := m.Begin().Stream()
	for at := 0; at < len(text); at += size {
		got += string(s.Push([]byte(text[at:min(at+size, len(text))])))
	}
	return got + string(s.Flush())
}

// A long line is looked at in parts. What begins in one and ends in the next is masked
// whole, also where another pattern hides some of it, and no character is torn.
func TestM15_WhatLiesAcrossPartsOfALongLineIsMaskedWhole(t *testing.T) {
	m := newMasker(map[string]string{"first": `KEY-[0-9]{8}`, "second": `x{40}KEY-[0-9]{2}`, "third": `秘[密码]+`})
	for before := 16<<10 - 80; before < 16<<10+10; before++ {
		for _, fill := range []string{".", "电"} {
			line := strings.Repeat(".", before%3) + strings.Repeat(fill, (before-before%3)/len(fill))
			line += strings.Repeat("x", 40) + "KEY-12345678, 秘密码密码密码" + strings.Repeat(fill, 3000) + "KEY-87654321"
			got := m.Text(line)
			if strings.ContainsAny(got, "12345678密码") || !utf8.ValidString(got) || len(got) != len(line) || !strings.HasPrefix(line, got[:before]) {
				t.Fatalf("behind %d bytes of %q: %q", before, fill, got[before-10:before+80])
			}
			for _, size := range []int{1000, 40000} {
				if inPieces(m, line+"\n"+line, size) != got+"\n"+got {
					t.Fatalf("behind %d bytes of %q: in pieces of %d it is masked in another way", before, fill, size)
				}
			}
		}
	}
}
