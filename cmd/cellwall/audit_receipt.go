package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
)

type auditReceiptVerb struct {
	ID    string `arg:"" name:"ID" help:"The execution, exec_…"`
	Since string `placeholder:"DAY" help:"It was recorded on this UTC day or later (2026-11-30, or 90d): less has to be read."`
}

// Run prints a signed receipt.
func (v *auditReceiptVerb) Run(p *program, c *config) error {
	since, err := readDay(v.Since)
	if err != nil {
		return err
	}
	if !cellwall.ValidID(cellwall.PrefixExecution, v.ID) {
		return usage("sign receipt", fmt.Errorf("%q is no id of an execution", v.ID), "it is exec_ and 26 letters or digits; cellwall audit export lists them")
	}
	log, err := audit.Open(c.records())
	if err != nil {
		return stateError(c, err)
	}
	defer log.Close()
	signed, err := signReceipt(c, log, v.ID, since, nil)
	if err != nil {
		return err
	}
	return p.printJSON(signed)
}

// signReceipt signs a receipt of the execution id that was recorded at since or later.
func signReceipt(c *config, log *audit.Log, id string, since time.Time, result []byte) (audit.SignedReceipt, error) {
	line, err := log.Find(id, since)
	if errors.Is(err, audit.ErrNotFound) {
		return audit.SignedReceipt{}, &cellwall.Error{Code: cellwall.CodeNotFound, Op: "sign receipt", Err: err}
	}
	if err != nil {
		return audit.SignedReceipt{}, err
	}
	key, err := c.signingKey()
	if err != nil {
		return audit.SignedReceipt{}, err
	}
	return audit.NewReceipt(line, result, key)
}

type auditCheckVerb struct {
	File string `arg:"" name:"FILE" help:"The receipt, or - for standard input."`
	Key  string `placeholder:"KEY" help:"The public key that must have signed it, ed25519:… (default: this host's)."`
}

// Run checks a receipt.
func (v *auditCheckVerb) Run(p *program, c *config) error {
	raw, err := v.read(p)
	if err != nil {
		return usage("read receipt", err, "give the file that cellwall audit receipt or GET …/receipt printed")
	}
	var signed audit.SignedReceipt
	if err := json.Unmarshal(raw, &signed); err != nil {
		return usage("read receipt", err, "give the file that cellwall audit receipt or GET …/receipt printed")
	}
	var public *audit.PublicKey
	if v.Key != "" {
		if public, err = audit.ParsePublicKey(v.Key); err != nil {
			return usage("read key", err, "cellwall audit key prints it at the host that signed")
		}
	} else {
		key, err := c.signingKey()
		if err != nil {
			return err
		}
		public = key.Public()
	}
	r, err := signed.Check(public)
	if err != nil {
		p.explain(err)
		return status(exitNotOK)
	}
	p.stdout.printf("signed by this key: %s of %s, %s, record %d\n", r.Execution, r.At.Format(time.RFC3339), r.Status, r.Record)
	return nil
}

// maxReceipt is far more than any receipt has.
const maxReceipt = 16 << 20

func (v *auditCheckVerb) read(p *program) ([]byte, error) {
	if v.File == "-" {
		return io.ReadAll(io.LimitReader(p.stdin, maxReceipt))
	}
	f, err := os.Open(v.File)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxReceipt))
}

type auditKeyVerb struct{}

// Run prints the public key.
func (*auditKeyVerb) Run(p *program, c *config) error {
	key, err := c.signingKey()
	if err != nil {
		return err
	}
	p.stdout.printf("%s\n", key.Public())
	return nil
}
