package visible

import (
	"strings"
	"testing"
	"unicode"
)

func TestO112_WhatActsDoesNotShow(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if Acts(r) && Shows(r) {
			t.Errorf("%U acts and shows", r)
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' && !Acts(r) {
			t.Errorf("the control character %U does not act", r)
		}
	}
}

func TestD101_WhatReordersOrHidesActs(t *testing.T) {
	for kind, text := range map[string]string{
		"bidi": "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "no width": "\u200b\u2060\u180e\ufeff\u206a",
		"tags": "\U000e0001\U000e0041\U000e007f", "annotations": "\ufff9\ufffa\ufffb", "lines": "\u2028\u2029", "controls": "\x1b\r\b\x00\u009b\x7f",
	} {
		for _, r := range text {
			if !Acts(r) {
				t.Errorf("%s: %U does not act", kind, r)
			}
		}
	}
}

func TestD101_OrdinaryTextDoesNotAct(t *testing.T) {
	const text = "a\tb\n\u0645\u06cc\u200c\u062e \u05e9\u05dc\u200f\u061c \U0001f469\u200d\U0001f52c\ufe0f \u9500\u552e\u00ad \ue000"
	if i := strings.IndexFunc(text, Acts); i >= 0 {
		t.Errorf("%q acts", text[i:])
	}
}
