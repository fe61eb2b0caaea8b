package apitest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// signed is a receipt as it is handed out.
type signed struct {
	Receipt   json.RawMessage
	Key       string
	Signature []byte
}

// by reports whether the holder of a public key has signed it.
func (r signed) by(t *testing.T, key string) bool {
	t.Helper()
	public, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "ed25519:"))
	if err != nil || len(public) != ed25519.PublicKeySize {
		t.Fatalf("%q is no key: %v", key, err)
	}
	message := bytes.NewBufferString("cellwall receipt\n")
	if err := json.Compact(message, r.Receipt); err != nil {
		t.Fatal(err)
	}
	return ed25519.Verify(public, message.Bytes(), r.Signature)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func aReceiptIsSignedOverWhatRan(t *testing.T, s *Service) {
	const code = "open('a.txt', 'w').write(str(len(df)))"
	d := Into[cellwall.Dataset](t, upload(t, s, s.Key, "sales.csv", sales), 201)
	answer := s.Call(t, "POST", "/v1/executions", s.Agent, body(t, map[string]any{"code": code, "datasets": []string{d.ID}}))
	ran := Into[cellwall.Result](t, answer, 200)
	r := Into[signed](t, s.Call(t, "GET", "/v1/executions/"+ran.ID+"/receipt", s.Agent, ""), 200)
	key := Into[struct{ Key string }](t, s.Call(t, "GET", "/v1/receipts/key", s.Agent, ""), 200).Key
	if !r.by(t, key) || r.Key != key {
		t.Errorf("%s has not signed %s", key, r.Receipt)
	}
	type thing struct{ Name, SHA256 string }
	var said struct {
		Execution, Tenant, Status string
		Code                      string `json:"code_sha256"`
		Result                    string `json:"result_sha256"`
		Env                       string `json:"environment"`
		Inputs, Artifacts         []thing
	}
	if err := json.Unmarshal(r.Receipt, &said); err != nil {
		t.Fatal(err)
	}
	if said.Execution != ran.ID || said.Tenant != s.Tenant || said.Status != "ok" || said.Env != ran.Boundary.Environment {
		t.Errorf("%s", r.Receipt)
	}
	if said.Code != hashOf([]byte(code)) || said.Result != hashOf(bytes.TrimSpace(answer.Body)) {
		t.Errorf("it names other code, or another Result: %s", r.Receipt)
	}
	if len(said.Inputs) != 1 || said.Inputs[0] != (thing{"sales.csv", hashOf([]byte(sales))}) || len(said.Artifacts) != 1 || said.Artifacts[0] != (thing{"a.txt", hashOf([]byte("2"))}) {
		t.Errorf("it names other files: %s", r.Receipt)
	}
	r.Receipt = bytes.Replace(r.Receipt, []byte(said.Code), []byte(said.Result), 1)
	if r.by(t, key) {
		t.Error("a receipt that was changed is signed")
	}
}

func receiptsAreTheirTenants(t *testing.T, s *Service) {
	ran := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1"}`), 200)
	onlyForItsTenant(t, s, ran.ID, asking{"GET", "/v1/executions/{id}/receipt", ""}, asking{"GET", "/v1/receipts/key", ""})
	s.Hold(t, cellwall.ApprovalTerms{Executions: true})
	w := held(t, s, "1")
	DemandProblem(t, "of what has not run", s.Call(t, "GET", "/v1/executions/"+w.ID+"/receipt", s.Key, ""), 409, "conflict")
}
