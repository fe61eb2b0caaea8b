package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// Every protection that the native backend reports holds up some property: else
// one could be missing while doctor calls all of them enforced.
func TestDoctor_every_protection_holds_up_a_property(t *testing.T) {
	for name, report := range probed(t) {
		for _, p := range report.Protections {
			if !slices.ContainsFunc(properties, func(x promise) bool {
				return slices.Contains(x.needs, p.Name)
			}) {
				t.Errorf("%s: no property rests on %s", name, p.Name)
			}
		}
		for _, x := range propertiesOf(report) {
			if strings.Contains(x.Hint, "does not report") {
				t.Errorf("%s: %s: %s", name, x.ID, x.Hint)
			}
		}
	}
}

// probed asks every real backend.
func probed(t *testing.T) map[string]cellwall.Report {
	t.Helper()
	p := &program{stdout: newScreen(os.Stdout), stderr: newScreen(os.Stderr), backends: backends()}
	all := make(map[string]cellwall.Report)
	for name := range p.backends {
		all[name] = p.examine(t.Context(), name, &config{StateDir: t.TempDir()})
	}
	return all
}

func TestDoctor_a_property_stands_as_its_weakest_protection(t *testing.T) {
	report := cellwall.Report{}
	for _, x := range properties {
		for _, need := range x.needs {
			report.Protections = append(report.Protections, cellwall.Protection{Name: need, State: cellwall.Enforced})
		}
	}
	set := func(name string, s cellwall.Enforcement) {
		for i := range report.Protections {
			if report.Protections[i].Name == name {
				report.Protections[i].State, report.Protections[i].Hint = s, "do this about "+name
			}
		}
	}
	states := func() map[string]property {
		all := make(map[string]property)
		for _, x := range propertiesOf(report) {
			all[x.ID] = x
		}
		return all
	}
	for id, x := range states() {
		if x.State != cellwall.Enforced && x.State != byConstruction || x.Hint != "" {
			t.Errorf("with everything %s is %+v", id, x)
		}
	}
	set("own_uid", cellwall.Degraded)
	set("memory_limit", cellwall.Missing)
	got := states()
	for id, want := range map[string]cellwall.Enforcement{
		"P17": cellwall.Degraded, "P15": cellwall.Missing, "P8": cellwall.Missing, "P13": cellwall.Enforced, "P10": byConstruction,
	} {
		if got[id].State != want {
			t.Errorf("%s is %s, want %s", id, got[id].State, want)
		}
	}
	if !strings.Contains(got["P15"].Hint, "do this about memory_limit") {
		t.Errorf("P15 says %q", got["P15"].Hint)
	}
	if len(got) != 24 {
		t.Errorf("%d properties", len(got))
	}
	for _, x := range propertiesOf(cellwall.Report{}) {
		if x.State == cellwall.Enforced {
			t.Errorf("a backend that reports nothing leaves %s enforced", x.ID)
		}
	}
}

// No property is called enforced that nothing of the host could take away: it
// names what could fail instead, as the document does.
func TestDoctor_what_no_host_can_take_away_names_its_proof(t *testing.T) {
	text, err := os.ReadFile("../../docs/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for n, x := range propertiesOf(cellwall.Report{}) {
		if (x.State == byConstruction) != (len(properties[n].needs) == 0) {
			t.Errorf("%s rests on %q and is %s", x.ID, properties[n].needs, x.State)
		}
		if x.State != byConstruction {
			continue
		}
		found++
		_, line, _ := strings.Cut(string(text), "\n| "+x.ID+" |")
		line, _, _ = strings.Cut(line, "\n")
		proof := line[strings.LastIndex(strings.TrimSuffix(line, " |"), "|")+1:]
		if !regexp.MustCompile(`\b`+x.Proof+`\b`).MatchString(proof) || x.Proof == "" || !strings.Contains(x.Detail, x.Proof) {
			t.Errorf("%s names %q (%s); the document has%s", x.ID, x.Proof, x.Detail, proof)
		}
	}
	if found != 9 {
		t.Errorf("%d by construction", found)
	}
}

// What doctor calls the properties is what docs/THREATS.md promises.
func TestDoctor_properties_are_those_of_the_document(t *testing.T) {
	text, err := os.ReadFile("../../docs/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	for n, x := range properties {
		if want := "| " + x.id + " | " + x.name + " |"; x.id != "P"+strconv.Itoa(n+1) || !strings.Contains(string(text), want) {
			t.Errorf("the document has no line %q", want)
		}
	}
}
