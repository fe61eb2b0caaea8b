package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// receiver takes webhooks as a customer would.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []http.Header
	bodies []string
	answer func(n int, w http.ResponseWriter) // nil = 204
}

func receive(t *testing.T, answer func(n int, w http.ResponseWriter)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		n := len(r.seen)
		r.seen, r.bodies = append(r.seen, req.Header.Clone()), append(r.bodies, string(body))
		r.mu.Unlock()
		if r.answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		r.answer(n, w)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// quick makes every pause short.
func quick(time.Duration) time.Duration { return time.Millisecond }

func hook(url string) *book {
	return &book{hooks: []cellwall.Webhook{{ID: "hook_a", Tenant: "a", URL: url, Secret: NewSecret(), State: cellwall.WebhookActive}}}
}

func TestM52_ADeliveryIsSignedAndTriedUntilItIsTaken(t *testing.T) {
	r := receive(t, func(n int, w http.ResponseWriter) {
		if n < 2 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	kept := hook(r.URL + "/in")
	b := open(t, Options{Book: kept, AllowPrivate: true, Poll: 10 * time.Millisecond, jitter: quick})
	b.Tell(cellwall.Happening{Tenant: "a", Kind: "execution.done", Data: []byte(`{"execution_id":"exec_a"}`)})
	until(t, "the delivery is taken", func() bool {
		d, _ := kept.seen()
		return len(d) == 1 && d[0].State == cellwall.DeliveryTaken && d[0].Tries == 3 && d[0].LastStatus == 200
	})
	if got := b.Stats(); got != (Stats{Taken: 1, Retried: 2}) {
		t.Errorf("%+v", got)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) != 3 {
		t.Fatalf("%d tries", len(r.seen))
	}
	for i, h := range r.seen {
		seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
		if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
			t.Errorf("timestamp %q", h.Get("webhook-timestamp"))
		}
		want, err := Sign(kept.hooks[0].Secret, h.Get("webhook-id"), time.Unix(seconds, 0), []byte(r.bodies[i]))
		if err != nil || h.Get("webhook-signature") != want || h.Get("webhook-id") != kept.events[0].ID || r.bodies[i] != r.bodies[0] {
			t.Errorf("try %d: %v, want signature %s", i, h, want)
		}
	}
	var told struct {
		Type string
		Seq  uint64
		Data struct {
			ExecutionID string `json:"execution_id"`
		}
	}
	if err := json.Unmarshal([]byte(r.bodies[0]), &told); err != nil || told.Type != "execution.done" || told.Seq != 1 || told.Data.ExecutionID != "exec_a" {
		t.Errorf("%s: %v", r.bodies[0], err)
	}
}

func TestM52_AReceiverThatIsGoneIsNotAskedAgain(t *testing.T) {
	r := receive(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	kept := hook(r.URL)
	b := open(t, Options{Book: kept, AllowPrivate: true, jitter: quick})
	b.Tell(cellwall.Happening{Tenant: "a", Kind: "x"})
	until(t, "the webhook is paused", func() bool {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		return kept.hooks[0].State == cellwall.WebhookPaused && kept.deliveries[0].State == cellwall.DeliveryGivenUp
	})
	b.Tell(cellwall.Happening{Tenant: "a", Kind: "x"})
	if err := b.Close(); err != nil || r.calls() != 1 || b.Stats() != (Stats{GivenUp: 1}) {
		t.Errorf("%d calls, %+v, %v", r.calls(), b.Stats(), err)
	}
}

func TestP10_AWebhookIsNotLedAstray(t *testing.T) {
	inner := receive(t, nil)
	outer := receive(t, func(_ int, w http.ResponseWriter) {
		w.Header().Set("Location", inner.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	name := strings.Replace(inner.URL, "127.0.0.1", "localhost", 1)
	for _, test := range []struct {
		name, url string
		private   bool
		reached   *receiver // nil = none
		status    int
	}{
		{"control: a private address that is allowed", name, true, inner, 204},
		{"a name that resolves to this host", strings.Replace(name, "http:", "https:", 1), false, nil, 0},
		{"a redirect", outer.URL, true, outer, 307},
	} {
		before := inner.calls() + outer.calls()
		kept := hook(test.url)
		b := open(t, Options{Book: kept, AllowPrivate: test.private})
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "x"})
		until(t, test.name+": it is tried", func() bool {
			d, _ := kept.seen()
			return len(d) == 1 && d[0].Tries == 1 && d[0].LastStatus == test.status
		})
		_ = b.Close()
		want := 0
		if test.reached != nil {
			want = 1
		}
		if got := inner.calls() + outer.calls() - before; got != want {
			t.Errorf("%s: %d requests arrived, want %d", test.name, got, want)
		}
	}
}

func TestP10_AnAddressIsCheckedBeforeItIsKept(t *testing.T) {
	for url, want := range map[string]bool{
		"https://example.com/hook?x=1": true, "https://example.com:8443": true,
		"http://example.com": false, "ftp://example.com": false, "https://": false, "https:///x": false, "https:example.com": false, "": false,
		"https://user:pw@example.com": false, "https://example.com/#x": false, "https://127.0.0.1/": false, "https://[::1]/": false,
		"https://exa mple.com": false, "https://" + strings.Repeat("x", 3000): false, "unix:/run/x": false,
	} {
		if err := CheckURL(url, false); (err == nil) != want || err != nil && cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%.60q: %v", url, err)
		}
	}
	if err := CheckURL("http://127.0.0.1:80/", true); err != nil {
		t.Errorf("where the operator allows it: %v", err)
	}
}

func TestM52_ASlowReceiverHoldsUpNobodyElse(t *testing.T) {
	stuck := make(chan struct{})
	slow := receive(t, func(int, http.ResponseWriter) { <-stuck })
	defer close(stuck)
	quickly := receive(t, nil)
	kept := hook(slow.URL)
	kept.hooks = append(kept.hooks, cellwall.Webhook{ID: "hook_b", Tenant: "b", URL: quickly.URL, Secret: NewSecret(), State: cellwall.WebhookActive})
	b := open(t, Options{Book: kept, AllowPrivate: true, Poll: 10 * time.Millisecond, Senders: 3, PerTenant: 2})
	for range 20 {
		b.Tell(cellwall.Happening{Tenant: "a", Kind: "x"})
	}
	for range 20 {
		b.Tell(cellwall.Happening{Tenant: "b", Kind: "x"})
	}
	until(t, "the other tenant has all of its own", func() bool { return quickly.calls() == 20 })
	if n := slow.calls(); n > 2 {
		t.Errorf("%d deliveries of one tenant are under way", n)
	}
}

func TestM52_ADeliveryIsGivenUpAfterADay(t *testing.T) {
	var whole time.Duration
	now := time.Unix(0, 0)
	d := cellwall.Delivery{State: cellwall.DeliveryWaiting}
	still := func(d time.Duration) time.Duration { return d }
	for tries := 1; d.State == cellwall.DeliveryWaiting; tries++ {
		d = judge(d, &http.Response{StatusCode: 500, Header: http.Header{"Retry-After": {"7"}}}, now, still)
		if d.Tries != tries || d.LastStatus != 500 {
			t.Fatalf("%+v", d)
		}
		if d.State == cellwall.DeliveryWaiting {
			whole += d.NextAt.Sub(now)
		}
	}
	if d.Tries != 8 || d.State != cellwall.DeliveryGivenUp || whole < 20*time.Hour || whole > 24*time.Hour {
		t.Errorf("%d tries within %v, then %s", d.Tries, whole, d.State)
	}
	for text, want := range map[string]time.Duration{"60": time.Minute, "-1": 5 * time.Second, "999999999999": time.Hour, "soon": 5 * time.Second, "": 5 * time.Second} {
		d := judge(cellwall.Delivery{}, &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {text}}}, now, still)
		if got := d.NextAt.Sub(now); got != want {
			t.Errorf("Retry-After %q: %v, want %v", text, got, want)
		}
	}
	for range 1000 {
		if j := jitter(time.Minute); j > time.Minute || j < 54*time.Second {
			t.Fatalf("jitter %v", j)
		}
	}
}

// The vector of the standard's own tests.
func TestM52_SignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	got, err := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	for _, secret := range []string{"", "whsec_", "whsec_!", "whsec_AAAA", strings.TrimPrefix(NewSecret(), "whsec_")} {
		if _, err := Sign(secret, "x", time.Unix(0, 0), nil); err == nil {
			t.Errorf("%q signs", secret)
		}
	}
}
