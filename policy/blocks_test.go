package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func TestM38_ABlockHoldsInEveryProfileForWhomItIsMeant(t *testing.T) {
	blocks := &Blocks{}
	for _, b := range []Block{
		{ID: "blk_pattern", Pattern: `os\.memfd_create`},
		{ID: "blk_sum", SHA256: strings.ToUpper(sum("import os\n"))},
		{ID: "blk_marked", SHA256: sum("\uFEFFprint(1)")}, // as the record of a text with its mark has it
		{ID: "blk_one", Tenant: "acme", Pattern: "mine"},
	} {
		if _, err := blocks.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	c := newChain(t, Options{Parser: &said{}, Blocks: blocks})
	for _, x := range []struct {
		source, tenant, id string
		line               int
	}{
		{"import os\nos.memfd_create('x')", "acme", "blk_pattern", 2},
		{"import os\n", "other", "blk_sum", 1},
		{"import os", "other", "", 0},
		{"print(1)", "other", "blk_marked", 1},
		{"mine", "acme", "blk_one", 1},
		{"mine", "other", "", 0},
	} {
		for _, profile := range []Profile{Off, Default, Execute, Strict} {
			found, verdict, err := c.Check(t.Context(), Program{Source: x.source, Tenant: x.tenant, Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			blocked := len(found) == 1 && found[0].Rule == "blocked"
			switch {
			case x.id == "" && blocked:
				t.Errorf("%q of %s is blocked in %s", x.source, x.tenant, profile)
			case x.id != "" && (!blocked || verdict != Refuse || found[0].Line != x.line || !strings.Contains(found[0].Message, x.id)):
				t.Errorf("%q of %s in %s: %s %+v, want %s in line %d", x.source, x.tenant, profile, verdict, found, x.id, x.line)
			case blocked && strings.Contains(found[0].Message, "memfd"):
				t.Errorf("the pattern is told: %s", found[0].Message)
			}
		}
	}
	if err := blocks.Remove("blk_pattern"); err != nil {
		t.Fatal(err)
	}
	if found, _, _ := c.Check(t.Context(), Program{Source: "os.memfd_create", Profile: Off}); len(found) != 0 {
		t.Errorf("a block that was taken back holds: %+v", found)
	}
}

func TestM38_BlocksThatWouldBlockNothingOrEverythingAreNotTaken(t *testing.T) {
	b := &Blocks{}
	for name, one := range map[string]Block{
		"neither":            {},
		"both":               {Pattern: "x", SHA256: sum("x")},
		"no sha256":          {SHA256: "abc"},
		"no hex":             {SHA256: strings.Repeat("z", 64)},
		"a broken pattern":   {Pattern: "("},
		"all programs":       {Pattern: "x*"},
		"a pattern too long": {Pattern: strings.Repeat("x", maxPattern+1)},
	} {
		if _, err := b.Add(one); cellwall.CodeOf(err) != cellwall.CodeBadRequest || cellwall.HintOf(err) == "" {
			t.Errorf("%s: %v, want bad_request with a hint", name, err)
		}
	}
	one, err := b.Add(Block{Pattern: "x"})
	if err != nil || !cellwall.ValidID("blk", one.ID) || one.At.IsZero() {
		t.Fatalf("%+v %v", one, err)
	}
	if _, err := b.Add(one); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("the same id again: %v", err)
	}
	if err := b.Replace([]Block{{Pattern: "y"}, {Pattern: "("}}); err == nil || len(b.List()) != 1 || b.List()[0] != one {
		t.Errorf("%v, and now there are %+v: want none of them, and the one from before", err, b.List())
	}
	if err := b.Replace([]Block{{ID: "a", Pattern: "y"}}); err != nil || len(b.List()) != 1 || b.List()[0].ID != "a" {
		t.Errorf("%v, and now there are %+v", err, b.List())
	}
	if err := b.Remove("gone"); cellwall.CodeOf(err) != cellwall.CodeNotFound {
		t.Errorf("an unknown block: %v", err)
	}
	for range maxBlocks - 1 {
		if _, err := b.Add(Block{Pattern: "z"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Add(Block{Pattern: "z"}); cellwall.CodeOf(err) != cellwall.CodeConflict {
		t.Errorf("one more than there may be: %v", err)
	}
}
