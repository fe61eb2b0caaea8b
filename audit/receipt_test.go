package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwall/cellwall/audit"
)

func TestM54_AReceiptNamesWhatRanAndOnlyItsKeySignsIt(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	for _, id := range []string{"exec_a", "exec_b"} {
		err := l.Append(noon, json.RawMessage(`{"v":1,"id":"`+id+`","at":"2026-03-01T12:00:00Z","identity":{"tenant":"tnt_x"},`+
			`"code_sha256":"cc","code":"secret = 1","inputs":[{"name":"a.csv","sha256":"dd"}],"environment":"e@sha256:1","boundary":{"backend":"native"},`+
			`"limits":{"timeout_ms":8000},"status":"ok","cause":"none","artifacts":[]}`))
		if err != nil {
			t.Fatal(err)
		}
	}
	keys := [2]*audit.Key{}
	for i := range keys {
		var err error
		if keys[i], err = audit.OpenKey(filepath.Join(dir, "keys", string(rune('a'+i)))); err != nil {
			t.Fatal(err)
		}
	}
	line, err := l.Find("exec_b", noon)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := audit.NewReceipt(line, []byte("{}"), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	document, err := json.MarshalIndent(signed, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(document, []byte("secret")) {
		t.Error("the receipt holds code")
	}
	var read audit.SignedReceipt
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	known, err := audit.ParsePublicKey(keys[0].Public().String())
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.Check(known)
	if err != nil || r.Execution != "exec_b" || r.Record != 2 || r.Tenant != "tnt_x" || r.Code != "cc" || r.Status != "ok" || r.Result == "" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := read.Check(keys[1].Public()); err == nil {
		t.Error("another key takes it for its own")
	}
	read.Receipt = bytes.Replace(read.Receipt, []byte(`"ok"`), []byte(`"error"`), 1)
	if _, err := read.Check(known); err == nil {
		t.Error("a changed receipt passes")
	}
	if _, err := audit.NewReceipt(bytes.Replace(line, []byte(`"ok"`), []byte(`"no"`), 1), nil, keys[0]); err == nil {
		t.Error("a changed record gets a receipt")
	}
	if _, err := l.Find("exec_c", noon.Add(-48*time.Hour)); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestOpenKey_is_the_same_again_and_nobody_elses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "receipt")
	first, err := audit.OpenKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := audit.OpenKey(path)
	if err != nil || again.Public().String() != first.Public().String() {
		t.Errorf("another key: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OpenKey(path); err == nil {
		t.Error("a key that others can read is used")
	}
	if _, err := audit.ParsePublicKey("ed25519:short"); err == nil {
		t.Error("a short key is one")
	}
}
