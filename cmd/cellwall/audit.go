package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
)

// auditVerb is "cellwall audit".
type auditVerb struct {
	Verify  auditVerifyVerb  `cmd:"" help:"Hold every record to the chain, and name what is changed, missing, reordered or torn."`
	Export  auditExportVerb  `cmd:"" help:"Print records as JSON lines."`
	Receipt auditReceiptVerb `cmd:"" help:"Sign a receipt of an execution."`
	Check   auditCheckVerb   `cmd:"" help:"Check a receipt against the key of who signed it."`
	Key     auditKeyVerb     `cmd:"" help:"Print the public key that checks this host's receipts."`
}

func (c *config) records() string { return c.inState("records") }

// signingKey signs receipts and the anchor.
func (c *config) signingKey() (*audit.Key, error) {
	key, err := audit.OpenKey(c.inState("keys/receipt"))
	if err != nil {
		return nil, stateError(c, err)
	}
	return key, nil
}

type auditVerifyVerb struct {
	Expect string `placeholder:"SEQ:HASH" help:"A head that an earlier call printed: that record must be there, the same."`
	JSON   bool   `name:"json" help:"Print one document."`
}

// Help is the part of the help that says what it can tell.
func (*auditVerifyVerb) Help() string {
	return `The last line is the head of the chain. Note it elsewhere, and give it to a later
call with --expect: who can write the records can write a whole new chain, but
none with that record in it. The exit status is 1 when a record is changed,
missing or reordered; a torn line belongs to a process that was killed, and was
answered to nobody, or power took the rest of it.`
}

// Run verifies.
func (v *auditVerifyVerb) Run(p *program, c *config) error {
	if _, err := os.Stat(c.records()); errors.Is(err, fs.ErrNotExist) {
		return &cellwall.Error{
			Code: cellwall.CodeNotFound, Op: "verify records", Err: errors.New("nothing was recorded in " + c.StateDir),
			Hint: "choose the state directory with --state-dir or CELLWALL_STATE_DIR",
		}
	}
	key, err := c.signingKey()
	if err != nil {
		return err
	}
	report, err := audit.Verify(c.records(), audit.VerifyOptions{Key: key.Public(), Expect: v.Expect})
	if errors.Is(err, audit.ErrHead) {
		return usage("read --expect", err, "it is SEQ:HASH, as the last line of an earlier cellwall audit verify")
	}
	if err != nil {
		return err
	}
	if v.JSON {
		err = p.printJSON(report)
	} else {
		p.printVerified(report)
	}
	if err == nil && !report.OK() {
		return status(exitNotOK)
	}
	return err
}

func (p *program) printVerified(r audit.Report) {
	for _, f := range r.Findings {
		p.stdout.printf("%s\n", findingText(f))
	}
	if r.More > 0 {
		p.stdout.printf("… and %d more\n", r.More)
	}
	verdict := "every record is as it was written"
	if !r.OK() {
		verdict = "NOT every record is as it was written"
	}
	p.stdout.printf("%s: %d records", verdict, r.Records)
	if r.Dropped > 0 {
		p.stdout.printf(", 1 to %d let go after their time", r.Dropped)
	}
	if r.Unchained > 0 {
		p.stdout.printf(", %d of versions without a chain", r.Unchained)
	}
	p.stdout.printf("\nhead %s\n", r.Head)
}

// findingText is one finding for a person.
func findingText(f audit.Finding) string {
	parts := []string{string(f.Kind)}
	if f.Day != "" {
		parts = append(parts, f.Day)
	}
	if f.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", f.Line))
	}
	switch {
	case f.To > 0:
		parts = append(parts, fmt.Sprintf("records %d to %d", f.Seq, f.To))
	case f.Seq > 0:
		parts = append(parts, fmt.Sprintf("record %d", f.Seq))
	}
	if f.ID != "" {
		parts = append(parts, f.ID)
	}
	return strings.Join(parts, " ") + ": " + f.Why
}

type auditExportVerb struct {
	Since  string `placeholder:"DAY" help:"From this UTC day on (2026-11-30), or so long ago (90d)."`
	Until  string `placeholder:"DAY" help:"Up to and with this UTC day."`
	Tenant string `placeholder:"ID" help:"Only of this tenant: tnt_…, or local."`
}

// Run prints records.
func (v *auditExportVerb) Run(p *program, c *config) error {
	since, err := readDay(v.Since)
	if err != nil {
		return err
	}
	until := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if v.Until != "" {
		if until, err = readDay(v.Until); err != nil {
			return err
		}
		until = until.AddDate(0, 0, 1)
	}
	log, err := audit.Open(c.records())
	if err != nil {
		return stateError(c, err)
	}
	defer log.Close()
	return log.Each(since, func(line []byte) error {
		of, at := whose(line)
		if v.Tenant != "" && of != v.Tenant || !at.Before(until) {
			return nil
		}
		line = append(bytes.Clone(line), '\n')
		if p.stdout.terminal { // elsewhere every byte of the chain stays as it is
			line = shownJSON(line)
		}
		_, err := p.stdout.Write(line)
		return err
	})
}

// readDay reads a day, or how long ago it was.
func readDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	ago, err := parseDuration(text)
	if err != nil {
		return time.Time{}, usage("read day", fmt.Errorf("%q is neither a day nor a time ago", text), "write for example 2026-11-30, or 90d")
	}
	return time.Now().Add(-ago), nil
}

// whose tells the tenant and the time of a record.
func whose(line []byte) (tenant string, at time.Time) {
	var e struct {
		At       time.Time         `json:"at"`
		Identity cellwall.Identity `json:"identity"`
	}
	_ = json.Unmarshal(line, &e) // an entry of another shape is nobody's
	return e.Identity.Tenant, e.At
}
