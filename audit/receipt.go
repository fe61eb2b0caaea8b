package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Receipt says what was executed, on what, behind which wall, and what came of
// it. It holds hashes, never code or data.
type Receipt struct {
	V         int             `json:"v"` // 1
	Execution string          `json:"execution"`
	Session   string          `json:"session_id,omitempty"`
	Tenant    string          `json:"tenant"`
	At        time.Time       `json:"at"`
	Code      string          `json:"code_sha256"`
	Inputs    json.RawMessage `json:"inputs"`      // names, sizes, hashes
	Env       string          `json:"environment"` // name@digest
	Boundary  json.RawMessage `json:"boundary"`    // the wall
	Limits    json.RawMessage `json:"limits"`
	Status    string          `json:"status"`
	Cause     string          `json:"cause"`
	Artifacts json.RawMessage `json:"artifacts"`               // names, sizes, hashes
	Result    string          `json:"result_sha256,omitempty"` // of the Result as it is kept
	Record    uint64          `json:"record"`                  // seq in the audit log
	Hash      string          `json:"record_sha256"`           // the record's place in the chain
}

// SignedReceipt is a receipt with the signature of the service's key over
// "receipt" as compact JSON, and that key: compare it with the one you know.
type SignedReceipt struct {
	Receipt   json.RawMessage `json:"receipt"`
	Key       string          `json:"key"`
	Signature []byte          `json:"signature"`
}

// NewReceipt makes the receipt of a line of the log. result is the Result as it
// is kept, nil when it is not.
func NewReceipt(line, result []byte, key *Key) (SignedReceipt, error) {
	l, entry, ok := parseLine(line)
	if !ok || l.sum(entry) != l.hash {
		return SignedReceipt{}, errors.New("make receipt: the record is not as it was written")
	}
	var e struct {
		Receipt
		ID       string `json:"id"`
		Identity struct {
			Tenant string `json:"tenant"`
		} `json:"identity"`
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return SignedReceipt{}, fmt.Errorf("make receipt: %w", err)
	}
	r := e.Receipt
	r.V, r.Execution, r.Tenant, r.Record, r.Hash = 1, e.ID, e.Identity.Tenant, l.seq, l.hash.String()
	if result != nil {
		r.Result = sha256Hex(result)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return SignedReceipt{}, fmt.Errorf("make receipt: %w", err)
	}
	return SignedReceipt{Receipt: raw, Key: key.Public().String(), Signature: key.sign(receiptMessage(raw))}, nil
}

func receiptMessage(raw []byte) []byte { return append([]byte("cellwall receipt\n"), raw...) }

// Check returns the receipt if this very key signed it.
func (s SignedReceipt) Check(key *PublicKey) (r Receipt, err error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, s.Receipt); err != nil {
		return r, fmt.Errorf("check receipt: %w", err)
	}
	if !key.verify(receiptMessage(compact.Bytes()), s.Signature) {
		return r, errors.New("check receipt: the signature is not this key's, or the receipt was changed")
	}
	if err := json.Unmarshal(s.Receipt, &r); err != nil {
		return r, fmt.Errorf("check receipt: %w", err)
	}
	return r, nil
}
