package policy

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// said is a parser that says what a test gives it.
type said struct {
	outline Outline
	err     error
	asked   int
}

func (s *said) Outline(context.Context, cellwall.Environment, string) (Outline, error) {
	s.asked++
	return s.outline, s.err
}

func newChain(t testing.TB, o Options) *Chain {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rulesOf(found []cellwall.Finding) string {
	var names []string
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return strings.Join(names, " ")
}

func TestM31_WithoutAParserStrictFailsClosed(t *testing.T) {
	dead := errors.New("no room for a sandbox")
	for name, c := range map[string]struct {
		parser  Parser
		profile Profile
		rules   Rules
		source  string
		verdict Verdict
		code    cellwall.ErrorCode
		found   string
	}{
		"strict, none wired":              {nil, Strict, nil, "1", "", cellwall.CodeProtectionMissing, ""},
		"strict, none reached":            {&said{err: dead}, Strict, nil, "1", "", cellwall.CodeProtectionMissing, ""},
		"execute, none reached":           {&said{err: dead}, Execute, nil, "1", "", cellwall.CodeProtectionMissing, ""},
		"default, none reached":           {&said{err: dead}, Default, nil, "import requests", Pass, "", ""},
		"default has nothing to ask":      {&said{err: dead}, Default, nil, "1", Pass, "", ""},
		"off asks nobody":                 {&said{err: dead}, Off, nil, "import requests", Pass, "", ""},
		"strict, the program's own doing": {&said{err: ErrGaveUp}, Strict, nil, "1", Refuse, "", "unreadable"},
		"default, the same":               {&said{err: ErrGaveUp}, Default, nil, "import requests", Pass, "", ""},
		"strict, more than was told":      {&said{outline: Outline{Cut: true}}, Strict, nil, "1", Refuse, "", "unreadable"},
		"the same text after a death is read as text": {
			&said{err: ErrGaveUp}, Strict, nil, "subprocess", Refuse, "", "unreadable text term",
		},
		"a tenant's list of modules, and a notebook": {
			&said{outline: Outline{Said: "invalid syntax", Line: 2, Notebook: true}}, Default,
			Rules{{Name: "import", Look: LookImports, Others: true, Refuse: true, Message: "no"}},
			"x", Refuse, "", "unreadable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Parser: c.parser}
			if c.rules != nil {
				own, err := Compile(c.rules)
				if err != nil {
					t.Fatal(err)
				}
				o.Rules = func(string, Profile) *Set { return own }
			}
			found, verdict, err := newChain(t, o).Check(t.Context(), Program{Source: c.source, Profile: c.profile})
			switch {
			case c.code != "" && (err == nil || cellwall.CodeOf(err) != c.code || cellwall.HintOf(err) == ""):
				t.Errorf("error %v, want %s with a hint", err, c.code)
			case c.code == "" && err != nil:
				t.Error(err)
			case verdict != c.verdict || rulesOf(found) != c.found:
				t.Errorf("%s with %q, want %s with %q", verdict, rulesOf(found), c.verdict, c.found)
			}
		})
	}
}

func TestM31_CodeWithoutAnyWordOfAdviceIsNotParsed(t *testing.T) {
	p := &said{}
	c := newChain(t, Options{Parser: p})
	for source, asks := range map[string]int{"print(6 * 7)": 0, "import urllib.request": 1, "n = input()": 1, "df.describe()": 0} {
		p.asked = 0
		if _, _, err := c.Check(t.Context(), Program{Source: source}); err != nil || p.asked != asks {
			t.Errorf("%q asked the parser %d times (%v), want %d", source, p.asked, err, asks)
		}
	}
}

func TestM31_TextThatNoTwoReadersSeeAlikeIsRefused(t *testing.T) {
	long := strings.Repeat("字", cellwall.MaxCodeBytes)
	for source, rule := range map[string]string{
		long: "", long + "字": "code_size", "x = '\xff'": "encoding", "x\x00": "nul_byte", "print(1)": "",
	} {
		found, verdict, err := newChain(t, Options{}).Check(t.Context(), Program{Source: source})
		if err != nil || rulesOf(found) != rule || (verdict == Refuse) != (rule != "") {
			t.Errorf("%.20q: %s %q %v, want %q", source, verdict, rulesOf(found), err, rule)
		}
	}
}

func TestM32_ATenantsOwnRulesAreItsOwn(t *testing.T) {
	rules := Shipped(Strict)
	for i := range rules {
		if rules[i].Others {
			rules[i].For = append(rules[i].For, "re")
		}
	}
	own, err := Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	parser := &said{outline: Outline{Imports: []Import{{Module: "re", Line: 1}}}}
	c := newChain(t, Options{Parser: parser, Rules: func(tenant string, p Profile) *Set {
		if tenant == "school" && p == Strict {
			return own
		}
		return nil
	}})
	for tenant, want := range map[string]Verdict{"school": Pass, "other": Refuse} {
		if _, got, err := c.Check(t.Context(), Program{Source: "import re", Profile: Strict, Tenant: tenant}); got != want || err != nil {
			t.Errorf("tenant %s: %s %v, want %s", tenant, got, err, want)
		}
	}
	if again, _ := Compile(Shipped(Strict)); again.links[1].words["re"] {
		t.Error("the shipped rules have changed")
	}
}

func TestM32_RulesThatMeanNothingAreNotTaken(t *testing.T) {
	ok := Rule{Name: "n", Look: LookTerms, For: []string{"x"}, Message: "m"}
	for name, change := range map[string]func(*Rule){
		"no name":                      func(r *Rule) { r.Name = "" },
		"no message":                   func(r *Rule) { r.Message = "" },
		"no such place":                func(r *Rule) { r.Look = "everywhere" },
		"others of a text":             func(r *Rule) { r.Others = true },
		"an empty word":                func(r *Rule) { r.For = []string{""} },
		"a broken pattern":             func(r *Rule) { r.Look, r.For = LookPatterns, []string{"("} },
		"a pattern that backs":         func(r *Rule) { r.Look, r.For = LookPatterns, []string{`(a)\1`} },
		"more words than there may be": func(r *Rule) { r.For = strings.Split(strings.Repeat("x,", maxWords)+"x", ",") },
	} {
		r := ok
		change(&r)
		if _, err := Compile(Rules{r}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := Compile(Rules{ok}); err != nil {
		t.Error(err)
	}
	many := make(Rules, maxRules+1)
	for i := range many {
		many[i] = ok
	}
	if _, err := Compile(many); err == nil {
		t.Error("too many rules were taken")
	}
}

func TestM1_ARequestMayOnlyBecomeStricter(t *testing.T) {
	for _, c := range []struct {
		floor, asked, want Profile
		code               cellwall.ErrorCode
	}{
		{"", "", Default, ""},
		{Off, "", Off, ""},
		{Off, Off, Off, ""},
		{Off, Strict, Strict, ""},
		{"", Off, "", cellwall.CodeForbidden},
		{Default, Strict, Strict, ""},
		{Strict, Default, "", cellwall.CodeForbidden},
		{Strict, "", Strict, ""},
		{Strict, Strict, Strict, ""},
		{Default, Execute, "", cellwall.CodeBadRequest},
		{Default, "loose", "", cellwall.CodeBadRequest},
	} {
		got, err := Choose(c.floor, c.asked)
		if got != c.want || (err == nil) != (c.code == "") || err != nil && cellwall.CodeOf(err) != c.code {
			t.Errorf("tenant %q asks for %q: %q %v, want %q %s", c.floor, c.asked, got, err, c.want, c.code)
		}
	}
	if Stricter(Execute, Default) != Execute || Stricter("", Strict) != Strict || Stricter(Off, "") != Default {
		t.Error("the stricter of two is another one")
	}
	if _, _, err := newChain(t, Options{}).Check(t.Context(), Program{Profile: "loose"}); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
		t.Errorf("an unknown profile: %v", err)
	}
}

// FuzzTextLinks: no text makes a link fail, and each finding is of a line of it.
func FuzzTextLinks(f *testing.F) {
	for _, s := range []string{"import os", "a\r\nopen(\r", "\u212Aocket soc\u212Aet", "\\x41", "eval \t(", "#\x0c\nimport\u00a0os"} {
		f.Add(s)
	}
	c, err := New(Options{Parser: &said{}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		found, verdict, err := c.Check(t.Context(), Program{Source: source, Profile: Strict})
		if err != nil {
			t.Fatal(err)
		}
		if (verdict == Refuse) != (len(found) > 0) || len(found) > maxFindings {
			t.Errorf("%s with %d findings", verdict, len(found))
		}
		lines := 1 + strings.Count(source, "\n") + strings.Count(source, "\r")
		for _, f := range found {
			if f.Line < 1 || f.Line > lines || f.Rule == "" || f.Message == "" || f.Instead == "" || strings.Contains(f.Message, "{") && f.Rule != "pattern" {
				t.Errorf("finding %+v in a text of %d lines", f, lines)
			}
		}
		for _, term := range blockedTerms { // the article's own words
			if verdict != Refuse && strings.Contains(strings.ToLower(source), strings.ToLower(term)) {
				t.Errorf("%q passed with %s", source, term)
			}
		}
	})
}

func BenchmarkLinks(b *testing.B) {
	source := strings.Repeat("total = df.groupby(\"region\")[\"revenue\"].sum().reset_index()\n", 100)
	c := newChain(b, Options{Parser: &said{outline: Outline{
		Names: map[string]int{"df": 1, "total": 1}, Attributes: map[string]int{"groupby": 1, "sum": 1, "reset_index": 1},
	}}})
	for b.Loop() {
		if _, v, err := c.Check(b.Context(), Program{Source: source, Profile: Strict}); v != Pass || err != nil {
			b.Fatal(v, err)
		}
	}
}
