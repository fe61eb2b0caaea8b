package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/store"
)

// personal are the values of the case contacts_personal.csv.
func personal(t *testing.T) (mustMask, mustKeep []string) {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/cases/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		MustMask map[string][]string `json:"must_mask"`
		MustKeep map[string][]string `json:"must_keep"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, values := range all["contacts_personal.csv"].MustMask {
		mustMask = append(mustMask, values...)
	}
	for _, values := range all["contacts_personal.csv"].MustKeep {
		mustKeep = append(mustKeep, values...)
	}
	if len(mustMask) < 160 || len(mustKeep) < 80 {
		t.Fatalf("%d values to mask and %d to keep", len(mustMask), len(mustKeep))
	}
	return mustMask, mustKeep
}

// maskedService serves its own user, whose terms ask for masking.
func maskedService(t *testing.T) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cellwall.toml")
	text := "[tenants.local]\noperator = true\nmask = true\nmask_patterns = { customer = '测试用户[0-9]{2}' }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return realService(t, "--config", file)
}

// tell runs a program on the case and returns all that is answered.
func (s *served) tell(code, id string, headers ...string) string {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"code": code, "datasets": []string{id}})
	if err != nil {
		s.t.Fatal(err)
	}
	status, text := call(s.t, s.local(), "POST", "http://local/v1/executions", string(body), append([]string{"Content-Type", "application/json"}, headers...)...)
	if status != http.StatusOK {
		s.t.Fatalf("execute: %d %s", status, text)
	}
	return text
}

// tellings print what is personal in every way that there is.
var tellings = map[string]string{
	"table":     "print(df.to_string())",
	"csv":       "print(df.to_csv(index=False))",
	"lists":     "import sys\nprint(df.astype(str).values.tolist(), file=sys.stderr)",
	"json":      "print(df.to_json(orient='records', force_ascii=True))",
	"pieces":    "import sys\nfor c in df.astype(str).to_csv():\n    sys.stdout.write(c)\n    sys.stdout.flush()",
	"displayed": "display(df)\ndisplay({'all': df.astype(str).values.tolist()})\ndf.email.tolist() + df.phone.tolist() + df.national_id.tolist()",
	"error":     "raise ValueError('bad row: ' + ' '.join(map(str, df.iloc[3].tolist())))",
	"key":       "{}[str(df.phone[0])]",
	"chart":     "import matplotlib.pyplot as plt\nplt.bar(df.phone.astype(str), df.amount)\nplt.title(df.email[0])\nplt.show()",
}

func TestM15_NothingPersonalIsToldWhereTheTermsSaySo(t *testing.T) {
	mustMask, mustKeep := personal(t)
	raw, err := os.ReadFile("../../testdata/cases/contacts_personal.csv")
	if err != nil {
		t.Fatal(err)
	}
	s, open := maskedService(t), realService(t)
	id, control := s.upload(raw), open.upload(raw)
	for name, code := range tellings {
		for _, way := range [][]string{nil, {"Accept", "text/event-stream"}} {
			t.Run(fmt.Sprintf("%s %v", name, way), func(t *testing.T) {
				text, bare := s.tell(code, id, way...), open.tell(code, control, way...)
				leaks := present(text, mustMask)
				if len(leaks) > 0 {
					t.Errorf("%d values are told, such as %s: %.3000s", len(leaks), leaks[0], text)
				}
				if len(present(bare, mustMask)) == 0 {
					t.Errorf("nothing personal was there to mask: %.2000s", bare)
				}
				if there, kept := present(bare, mustKeep), present(text, mustKeep); !slices.Equal(there, kept) {
					t.Errorf("of %d other numbers %d are left", len(there), len(kept))
				}
				if strings.Contains(text, "测试用户0") {
					t.Error("the tenant's own pattern is told")
				}
				if way == nil {
					saysMasked(t, s.result(text))
				}
			})
		}
	}
	s.recordsHold(mustMask, id)
}

// saysMasked holds the result to saying that something was masked.
func saysMasked(t *testing.T, r cellwall.Result) {
	t.Helper()
	if !slices.ContainsFunc(r.Observation.Warnings, func(w string) bool { return strings.Contains(w, "masked") }) {
		t.Errorf("nobody is told: %q", r.Observation.Warnings)
	}
}

func present(text string, values []string) (found []string) {
	for _, v := range values {
		if strings.Contains(text, v) {
			found = append(found, v)
		}
	}
	return found
}

// recordsHold looks for personal data in what is kept: code that holds some is run.
func (s *served) recordsHold(mustMask []string, id string) {
	s.t.Helper()
	s.tell("print(1)  # "+mustMask[0], id)
	if leaks := present(s.records(), mustMask); len(leaks) > 0 {
		s.t.Errorf("records hold %d values, such as %s", len(leaks), leaks[0])
	}
}

func TestM15_APatternThatCannotBeMeantIsRefusedWhenItIsSet(t *testing.T) {
	s := fakeService(t)
	ask := func(method, url, body string) (int, string) {
		return call(t, s.local(), method, "http://local/v1/admin/tenants"+url, body, "Content-Type", "application/json")
	}
	if status, text := ask("POST", "", `{"name":"a","terms":{"mask":true,"mask_patterns":{"employee":"("}}}`); status != http.StatusBadRequest {
		t.Errorf("a broken pattern: %d %s", status, text)
	}
	status, text := ask("POST", "", `{"name":"a","terms":{"mask":true,"mask_patterns":{"employee":"EMP-[0-9]{6}"}}}`)
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusCreated || !strings.Contains(text, "EMP-[0-9]{6}") {
		t.Fatalf("a pattern: %d %s", status, text)
	}
	if status, text := ask("PATCH", "/"+made.ID, `{"terms":{"mask_patterns":{"phone":"1"}}}`); status != http.StatusBadRequest {
		t.Errorf("a change to a pattern of a name that exists: %d %s", status, text)
	}
	if status, text := ask("GET", "/"+made.ID, ""); status != http.StatusOK || !strings.Contains(text, "EMP-[0-9]{6}") {
		t.Errorf("the pattern is gone: %d %s", status, text)
	}
	file := filepath.Join(t.TempDir(), "cellwall.toml")
	for _, table := range []string{"tenants.a", "defaults"} {
		if err := os.WriteFile(file, []byte("["+table+".mask_patterns]\nx = \"(\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadSettings(file, nil, nil); err == nil || !strings.Contains(err.Error(), table) {
			t.Errorf("a broken pattern of %s in the file: %v", table, err)
		}
	}
}

// leaves writes the case in each format.
const leaves = `df.to_csv('a.csv', index=False)
df.to_csv('b.txt', sep='|')
df.to_json('c.json', orient='records')
df.to_json('d.jsonl', orient='records', lines=True)
df.to_html('e.html')
df.to_csv('f.csv', encoding='gb18030')
df.to_excel('g.xlsx')
df.to_csv('h.csv', encoding='utf-16')
`

func TestM15_TablesThatARunLeavesAreMaskedAndStayTables(t *testing.T) {
	mustMask, mustKeep := personal(t)
	raw, err := os.ReadFile("../../testdata/cases/contacts_personal.csv")
	if err != nil {
		t.Fatal(err)
	}
	s := maskedService(t)
	r := s.result(s.tell(leaves, s.upload(raw)))
	if !r.OK || len(r.Artifacts) != 8 {
		t.Fatalf("%d artifacts, %v, %v", len(r.Artifacts), r.Error, r.SkippedArtifacts)
	}
	for _, a := range r.Artifacts {
		status, text := call(t, s.local(), "GET", "http://local/v1/artifacts/"+a.ID, "")
		if status != http.StatusOK || int64(len(text)) != a.Bytes {
			t.Fatalf("%s: %d, %d bytes of %d", a.Name, status, len(text), a.Bytes)
		}
		unmasked := strings.HasPrefix(a.Name, "g.") || strings.HasPrefix(a.Name, "h.")
		if slices.Contains(a.Flags, cellwall.FlagUnmasked) != unmasked {
			t.Errorf("%s has flags %v", a.Name, a.Flags)
		}
		if unmasked {
			continue
		}
		if leaks := present(text, mustMask); len(leaks) > 0 {
			t.Errorf("%s holds %d values, such as %s", a.Name, len(leaks), leaks[0])
		}
		if kept := present(text, mustKeep); len(kept) != len(mustKeep) {
			t.Errorf("%s holds %d of %d other numbers", a.Name, len(kept), len(mustKeep))
		}
		holdsRows(t, a.Name, text)
	}
}

// holdsRows reads a table back.
func holdsRows(t *testing.T, name, text string) {
	t.Helper()
	rows := 0
	switch name {
	case "a.csv", "f.csv":
		all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rows = len(all) - 1
	case "c.json":
		var all []map[string]any
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rows = len(all)
	case "d.jsonl":
		for line := range strings.Lines(text) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: %s", name, line)
			}
			rows++
		}
	default:
		return
	}
	if rows != 40 {
		t.Errorf("%s has %d rows of 40", name, rows)
	}
}

func TestM15_ColumnsAreMaskedBeforeCodeSeesThem(t *testing.T) {
	mustMask, _ := personal(t)
	raw, err := os.ReadFile("../../testdata/cases/contacts_personal.csv")
	if err != nil {
		t.Fatal(err)
	}
	s := realService(t)
	old := s.upload(raw)
	ask := func(columns string) (int, string) {
		return call(t, s.local(), "POST", "http://local/v1/datasets/"+old+"/masked", `{"columns":`+columns+`}`, "Content-Type", "application/json")
	}
	for _, columns := range []string{`{}`, `{"phone":"show"}`, `{"nobody":"hide"}`, `{"phone":7}`} {
		if status, text := ask(columns); status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			t.Errorf("columns %s: %d %s", columns, status, text)
		}
	}
	status, text := ask(`{"phone":"hash","national_id":"hide","bank_card":"partial","email":"partial"}`)
	var made cellwall.Dataset
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusCreated || made.Rows != 40 || made.ID == old {
		t.Fatalf("mask: %d %s, %v", status, text, err)
	}
	if made.Name != "table.masked.parquet" || len(made.Columns) != 8 {
		t.Errorf("it is called %q and has %d columns", made.Name, len(made.Columns))
	}
	var long strings.Builder // more rows than code is given
	long.WriteString("n,phone\n")
	for i := range 30_000 {
		fmt.Fprintf(&long, "%d,138%08d\n", i, i)
	}
	status, text = call(t, s.local(), "POST", "http://local/v1/datasets/"+s.upload([]byte(long.String()))+"/masked", `{"columns":{"phone":"hash"}}`, "Content-Type", "application/json")
	if !strings.Contains(text, `"rows":30000`) {
		t.Errorf("of 30,000 rows: %d %s", status, text)
	}
	strict := filepath.Join(t.TempDir(), "cellwall.toml")
	if err := os.WriteFile(strict, []byte("[tenants.local]\noperator = true\nprofile = 'strict'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := realService(t, "--config", strict)
	status, text = call(t, other.local(), "POST", "http://local/v1/datasets/"+other.upload(raw)+"/masked", `{"columns":{"phone":"hash","email":"partial","name":"hide"}}`, "Content-Type", "application/json")
	if status != http.StatusCreated {
		t.Errorf("under the profile strict: %d %s", status, text)
	}
	// Whatever code does, what is masked is not there.
	told := s.tell(`import os
for folder, _, files in os.walk("/workspace/input"):
    for name in files:
        print(open(os.path.join(folder, name), "rb").read())
print(df.to_csv())
print(df.phone.nunique(), df.phone.str.len().unique().tolist(), list(df.columns))
print(df.amount.sum().round(2), df.email[0], df.bank_card[0])
`, made.ID)
	if leaks := present(told, mustMask); len(leaks) > 0 {
		t.Errorf("%d values are there, such as %s", len(leaks), leaks[0])
	}
	for _, want := range []string{
		`40 [16] ['id', 'name', 'phone', 'bank_card', 'email', 'amount', 'order_no', 'sku']`, `105313.07 u******@example.org ***************5668`,
	} {
		if r := s.result(told); !strings.Contains(r.Stdout.Text, want) {
			t.Errorf("%q is not in %s %.3000s", want, r.Status, r.Stdout.Text)
		}
	}
}

// TestM31_TooMuchOfAKindIsWithheld lets a run tell of few addresses, masked, and of
// many nothing but that there were too many.
func TestM31_TooMuchOfAKindIsWithheld(t *testing.T) {
	s := fakeService(t, "--config", settingsFile(t, "[tenants.acme]\nmask = true\nwithhold = { email = 3 }\n"))
	key := makeKey(t, s, "acme", "execute")
	run := func(addresses int, headers ...string) string {
		t.Helper()
		code := "out" + strings.Repeat(" ann@example.com", addresses)
		status, _, text := s.ask(key, "POST", "/v1/executions", fmt.Sprintf(`{"code":%q}`, code), headers...)
		if status != http.StatusOK || strings.Contains(text, "ann@") {
			t.Fatalf("%d %s", status, text)
		}
		return text
	}
	if r := s.result(run(2)); strings.Count(r.Stdout.Text, "@example.com") != 2 {
		t.Errorf("two are too many: %+v", r)
	}
	r := s.result(run(3))
	if !r.OK || r.Stdout.Text != "" || r.Stdout.Bytes == 0 || r.Observation.StdoutExcerpt != "" || !strings.Contains(strings.Join(r.Warnings, " "), "withheld") {
		t.Errorf("three are told, or nobody says why they are not: %+v", r)
	}
	// What comes before the bound is reached is out, as it may be.
	if text := run(9, "Accept", "text/event-stream"); strings.Count(text, "example.com") > 2 || !strings.Contains(text, "event: done") {
		t.Errorf("the stream goes on telling: %s", text)
	}
	status, _, text := s.ask(key, "POST", "/v1/executions", `{"code":"out fine\nfile people.txt ann@example.com bob@example.com eve@example.com"}`)
	if r := s.result(text); status != http.StatusOK || len(r.Artifacts) != 0 || r.Stdout.Text != "" || len(r.SkippedArtifacts) != 1 || r.SkippedArtifacts[0].Reason != "withheld" {
		t.Errorf("a file with three is handed out: %d %s", status, text)
	}
}

func TestM31_BoundsOnWhatIsWithheldAreLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		terms cellwall.Terms
		wrong string // "" = it is right
	}{
		"of a kind that is known":     {cellwall.Terms{Mask: true, Withhold: map[string]int{"id": 1}}, ""},
		"of one of the tenant's own":  {cellwall.Terms{Mask: true, MaskPatterns: map[string]string{"staff": "EMP-[0-9]+"}, Withhold: map[string]int{"staff": 5}}, ""},
		"of a kind nobody knows":      {cellwall.Terms{Mask: true, Withhold: map[string]int{"passport": 1}}, "passport"},
		"none at all":                 {cellwall.Terms{Mask: true, Withhold: map[string]int{"id": 0}}, "from 0 on"},
		"where nothing is looked for": {cellwall.Terms{Withhold: map[string]int{"id": 1}}, "without mask"},
	} {
		err := checkTerms(c.terms)
		if c.wrong == "" && err != nil || c.wrong != "" && (cellwall.CodeOf(err) != cellwall.CodeBadRequest || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestM15_PatternsThatDoNotHoldAnyMoreLetNothingRun begins with terms that were kept before
// patterns had a bound on what they cost.
func TestM15_PatternsThatDoNotHoldAnyMoreLetNothingRun(t *testing.T) {
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	old := cellwall.Tenant{
		ID: cellwall.NewID(cellwall.PrefixTenant), Name: "acme", State: cellwall.TenantActive,
		Terms: cellwall.Terms{Mask: true, MaskPatterns: map[string]string{"staff": "EMP-[0-9]{900}[0-9]{900}[0-9]{900}"}},
	}
	book, err := store.Open(t.Context(), "sqlite:"+filepath.Join(state, "service.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(book.SaveTenant(t.Context(), old), book.Close()); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, "cellwall-fake", state).ready()
	key := makeKey(t, s, "acme", "execute")
	run := func() (int, string) {
		status, _, text := s.ask(key, "POST", "/v1/executions", `{"code":"out EMP-secret"}`)
		return status, text
	}
	status, text := run()
	if status != http.StatusForbidden || !strings.Contains(text, "staff") || !strings.Contains(text, "an operator has to change them") || !strings.Contains(text, "[0-9]+") {
		t.Errorf("it runs, or nobody says what to do: %d %s", status, text)
	}
	if records := s.records(); strings.Contains(records, "EMP-secret") || !strings.Contains(records, "forbidden") {
		t.Errorf("records tell the code, or not that it was refused: %s", records)
	}
	change := func(body string) (int, string) {
		return call(t, s.local(), "PATCH", "http://local/v1/admin/tenants/"+old.ID, body, "Content-Type", "application/json")
	}
	for _, body := range []string{`{"state":"closed"}`, `{"state":"active"}`, `{"terms":{"mask":true,"mask_patterns":{"staff":"EMP-[0-9]+"}}}`} {
		if status, text := change(body); status != http.StatusOK {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, text := run(); status != http.StatusOK || !strings.Contains(text, "EMP-secret") {
		t.Errorf("with a pattern that holds: %d %s", status, text)
	}
}

// TestM15_WhatCannotBeMaskedIsHidden holds for whoever tells without asking to be let in:
// cells of a session, records.
func TestM15_WhatCannotBeMaskedIsHidden(t *testing.T) {
	terms := cellwall.Terms{Mask: true, MaskPatterns: map[string]string{"staff": "("}}
	m := &masks{log: slog.New(slog.DiscardHandler), tenant: func(id string) (cellwall.Tenant, error) {
		return cellwall.Tenant{ID: id, Terms: terms}, nil
	}}
	for range 2 {
		if got := m.text("tnt_a")("staff EMP-1\n电"); got != "***********\n＊" {
			t.Errorf("it became %q", got)
		}
	}
	terms.MaskPatterns = map[string]string{"staff": "EMP-[0-9]+"}
	if got := m.of(cellwall.Identity{Tenant: "tnt_a"}).Text("staff EMP-1"); got != "staff *****" {
		t.Errorf("after they were changed it became %q", got)
	}
}
