package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
)

// affected is what the records say of one tenant.
type affected struct {
	Tenant  string    `json:"tenant"`
	Records int       `json:"records"` // in the time that was looked at
	Suspect int       `json:"suspect"` // of them: they match, or hit the wall
	First   time.Time `json:"first"`   // suspect one
	Last    time.Time `json:"last"`
}

// evidence is gathered while the records are read.
type evidence struct {
	pattern *regexp.Regexp // nil = whatever hit the wall
	out     *bufio.Writer
	tenants map[string]*affected
}

// postMortemFile is the form. It comes last: where it is, the evidence is complete.
const postMortemFile = "post-mortem.md"

// gatherEvidence fills the directory of a lockdown.
func gatherEvidence(c *config, l lockdown, since time.Time) error {
	verified, err := audit.Verify(c.records(), audit.VerifyOptions{})
	if err != nil {
		return err
	}
	e := &evidence{tenants: map[string]*affected{}}
	if l.Pattern != "" {
		if e.pattern, err = regexp.Compile(l.Pattern); err != nil {
			return err
		}
	}
	if err := e.read(c, filepath.Join(l.Report, "records.jsonl"), since); err != nil {
		return fmt.Errorf("gather evidence: %w", err)
	}
	list := e.affected()
	return errors.Join(
		writeEvidence(l.Report, "lockdown.json", l),
		writeEvidence(l.Report, "chain.json", verified),
		writeEvidence(l.Report, "tenants.json", list),
		os.WriteFile(filepath.Join(l.Report, postMortemFile), postMortem(l, since, verified, list), 0o600),
	)
}

// read copies the suspect records.
func (e *evidence) read(c *config, path string, since time.Time) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e.out = bufio.NewWriter(f)
	log, err := audit.Open(c.records())
	if err != nil {
		return err
	}
	defer log.Close()
	if err := log.Each(since, func(line []byte) error { return e.look(line, since) }); err != nil {
		return err
	}
	return e.out.Flush()
}

func (e *evidence) look(line []byte, since time.Time) error {
	var entry controller.Entry
	if json.Unmarshal(line, &entry) != nil || entry.Identity.Tenant == "" || entry.At.Before(since) {
		return nil // of an operator, or of another shape
	}
	a := e.tenants[entry.Identity.Tenant]
	if a == nil {
		a = &affected{Tenant: entry.Identity.Tenant}
		e.tenants[entry.Identity.Tenant] = a
	}
	a.Records++
	if !e.suspect(entry) {
		return nil
	}
	a.Suspect++
	if a.First.IsZero() {
		a.First = entry.At
	}
	a.Last = entry.At
	_, err := e.out.Write(append(line, '\n'))
	return err
}

// suspect reports whether a record matches, or hit the wall.
func (e *evidence) suspect(entry controller.Entry) bool {
	if e.pattern != nil {
		return e.pattern.MatchString(entry.Code)
	}
	switch entry.Status {
	case cellwall.StatusCrashed, cellwall.StatusMemoryLimit, cellwall.StatusProcessLimit, cellwall.StatusDiskLimit, cellwall.StatusInternalError:
		return true
	}
	return len(entry.Refused) > 0
}

// affected are the tenants with suspect records, the most of them first.
func (e *evidence) affected() []affected {
	list := []affected{}
	for _, a := range e.tenants {
		if a.Suspect > 0 {
			list = append(list, *a)
		}
	}
	slices.SortFunc(list, func(a, b affected) int {
		if a.Suspect != b.Suspect {
			return b.Suspect - a.Suspect
		}
		return strings.Compare(a.Tenant, b.Tenant)
	})
	return list
}

func writeEvidence(dir, name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, name), append(raw, '\n'))
}

// postMortem is the form, with what is known already.
func postMortem(l lockdown, since time.Time, chain audit.Report, list []affected) []byte {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("# Post-mortem: %s\n", strings.ReplaceAll(l.Why, "\n", " "))
	say("| | |\n|---|---|\n| locked down | %s by %s |\n| records looked through | since %s |", l.At.Format(time.RFC3339), l.By, since.UTC().Format(time.RFC3339))
	if l.Pattern != "" {
		say("| pattern that stays refused | `%s` |", l.Pattern)
	}
	say("| chain of records | intact: %v, head %s |\n", chain.OK(), chain.Head)
	say("## Tenants affected\n\n| tenant | suspect | of records | first | last |\n|---|---|---|---|---|")
	for _, a := range list {
		say("| %s | %d | %d | %s | %s |", a.Tenant, a.Suspect, a.Records, a.First.Format(time.RFC3339), a.Last.Format(time.RFC3339))
	}
	for _, question := range []string{
		"What happened", "How it was noticed, and by whom", "Timeline (UTC)", "What the attacker could reach, and what the wall held",
		"Which data of which tenant was touched", "Root cause", "What was done at once", "What will be done, by whom, until when",
		"Which test would have found it", "Who was told, and when",
	} {
		say("\n## %s\n\n_to be written_", question)
	}
	return []byte(b.String())
}
