package apitest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is whom webhooks call. A path stands for a webhook.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got map[string][]delivery
}

// delivery is one call of a webhook.
type delivery struct {
	id, stamp, signature string
	body                 []byte
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: map[string][]delivery{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return // it is sent again
		}
		h := q.Header
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[q.URL.Path] = append(r.got[q.URL.Path], delivery{h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), h.Get("Webhook-Signature"), body})
	}))
	t.Cleanup(r.Close)
	return r
}

// at is what a webhook has been told.
func (r *receiver) at(path string) []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[path]
}

// told is what a delivery says.
func (d delivery) told(t *testing.T) (kind, execution string) {
	t.Helper()
	var said struct {
		Type string
		Data struct {
			Execution string `json:"execution_id"`
		}
	}
	if err := json.Unmarshal(d.body, &said); err != nil {
		t.Fatalf("%v: %s", err, d.body)
	}
	return said.Type, said.Data.Execution
}

// signedBy reports whether a delivery is signed as Standard Webhooks says, now.
func (d delivery) signedBy(t *testing.T, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		t.Fatalf("the secret has %d bytes: %v", len(key), err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(d.id + "." + d.stamp + "."))
	mac.Write(d.body)
	at, err := strconv.ParseInt(d.stamp, 10, 64)
	fresh := err == nil && time.Since(time.Unix(at, 0)).Abs() < 5*time.Minute
	return fresh && d.signature == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
