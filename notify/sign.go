package notify

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// secretPrefix marks a secret, as Standard Webhooks has it.
const secretPrefix = "whsec_"

// NewSecret returns a secret of 32 random bytes.
func NewSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: it ends the process instead
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// secretKey returns the bytes of a secret.
func secretKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("read secret of webhook: it is not whsec_ and 24 to 64 bytes in base64")
	}
	return key, nil
}

// Sign returns the header webhook-signature for a body that is sent at some time
// under an id.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := secretKey(secret)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, strconv.FormatInt(at.Unix(), 10))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// payload is the body of a delivery: the same bytes at each try.
func payload(h cellwall.Happening) ([]byte, error) {
	return json.Marshal(struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Seq       uint64          `json:"seq"`
		Data      json.RawMessage `json:"data"`
	}{h.Kind, h.At.UTC(), h.Seq, h.Data})
}
