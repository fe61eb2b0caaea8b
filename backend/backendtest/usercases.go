package backendtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/abuse"
	"github.com/cellwall/cellwall/internal/testkit"
)

// userCase is one entry of user-cases.json; its format is in user-cases.md.
type userCase struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Code    string            `json:"code"`
	Cells   []json.RawMessage `json:"cells"`
	Data    []json.RawMessage `json:"data"`
	Profile string            `json:"profile"`
	Limits  struct {
		Timeout string `json:"timeout"`
		Memory  string `json:"memory"`
		Pids    int    `json:"pids"`
	} `json:"limits"`
	Runs            int        `json:"runs"`
	RunsDifferLines []int      `json:"runs_differ_lines"`
	Expect          userExpect `json:"expect"`
}

// runUserCases runs every case that needs no session.
func runUserCases(t *testing.T, s Setup) {
	ran := 0
	for _, c := range readUserCases(t, s) {
		if len(c.Cells) > 0 {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) { c.run(t, s) })
	}
	if ran < 30 {
		t.Errorf("only %d cases were found", ran)
	}
}

func readUserCases(t *testing.T, s Setup) (cases []userCase) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Cases, "user-cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	if err := d.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c userCase) run(t *testing.T, s Setup) {
	t.Log(c.Title)
	limits, err := c.limits()
	if err != nil {
		t.Fatal(err)
	}
	if missing := c.lacks(s); missing != "" {
		refusedWithout(t, s, limits, missing)
		return
	}
	inputs, err := c.inputs(s.Cases)
	if err != nil {
		t.Fatal(err)
	}
	profile := c.Profile
	if profile == "" {
		profile = "default"
	}
	if c.Expect.WallMSMax > 0 { // the bound of a case is that of a quiet machine
		c.Expect.WallMSMax = max(c.Expect.WallMSMax, float64(testkit.Scale(30*time.Second).Milliseconds()))
	}
	var printed [][]string
	for range max(c.Runs, 1) {
		r := execute(t, s, cellwall.Request{Code: c.Code, Limits: limits, Profile: profile}, inputs)
		for _, p := range c.Expect.judge(r) {
			t.Error(p)
		}
		for _, p := range abuse.Judge(abuse.Program{Expect: abuse.Expect{Statuses: c.Expect.statuses()}}, abuse.Outcome{Result: r}) {
			t.Error(p)
		}
		printed = append(printed, strings.Split(r.Stdout.Text, "\n"))
	}
	for _, line := range c.RunsDifferLines {
		for n := 1; n < len(printed); n++ {
			if line > len(printed[n]) || line > len(printed[0]) || printed[n][line-1] == printed[0][line-1] {
				t.Errorf("line %d does not differ between runs: %q", line, printed)
			}
		}
	}
}

// lacks returns the protection that a limit of the case needs and this run goes
// without.
func (c userCase) lacks(s Setup) string {
	switch {
	case c.Limits.Pids > 0 && slices.Contains(s.Missing, "process_limit"):
		return "process_limit"
	case c.Limits.Memory != "" && slices.Contains(s.Missing, "memory_limit"):
		return "memory_limit"
	}
	return ""
}

func (c userCase) limits() (cellwall.Limits, error) {
	var l cellwall.Limits
	var err error
	if c.Limits.Timeout != "" {
		if l.Timeout, err = time.ParseDuration(c.Limits.Timeout); err != nil {
			return l, err
		}
	}
	if c.Limits.Memory != "" {
		n, err := strconv.ParseInt(strings.TrimSuffix(c.Limits.Memory, "MiB"), 10, 64)
		if err != nil {
			return l, err
		}
		l.MemoryBytes = n * cellwall.MiB
	}
	l.Processes = c.Limits.Pids
	return l, nil
}

// inputs reads the data of a case: names of files beside it, or their contents.
func (c userCase) inputs(dir string) ([]abuse.File, error) {
	var files []abuse.File
	for _, raw := range c.Data {
		var name string
		if json.Unmarshal(raw, &name) == nil {
			f, err := fileOf(dir, name)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
			continue
		}
		var inline struct{ Name, Text, Base64 string }
		if err := json.Unmarshal(raw, &inline); err != nil {
			return nil, fmt.Errorf("read data of %s: %w", c.ID, err)
		}
		data := []byte(inline.Text)
		if inline.Base64 != "" {
			var err error
			if data, err = base64.StdEncoding.DecodeString(inline.Base64); err != nil {
				return nil, fmt.Errorf("read data of %s: %w", c.ID, err)
			}
		}
		files = append(files, abuse.File{Name: inline.Name, Data: data})
	}
	return files, nil
}

func fileOf(dir, name string) (abuse.File, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	return abuse.File{Name: name, Data: data}, err
}
