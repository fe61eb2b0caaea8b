package apitest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

type webhookView struct {
	ID, URL, State, Secret string
	Kinds                  []string
}

// hook makes a webhook of the first tenant.
func hook(t *testing.T, s *Service, url string, kinds ...string) webhookView {
	t.Helper()
	ask := map[string]any{"url": url}
	if len(kinds) > 0 {
		ask["kinds"] = kinds
	}
	return Into[webhookView](t, s.Call(t, "POST", "/v1/webhooks", s.Key, body(t, ask)), 201)
}

func aWebhookHearsWhatItAskedForSigned(t *testing.T, s *Service) {
	r := receive(t)
	all, done, gone := hook(t, s, r.URL+"/all"), hook(t, s, r.URL+"/done", "execution.done"), hook(t, s, r.URL+"/gone")
	if a := s.Call(t, "DELETE", "/v1/webhooks/"+gone.ID, s.Key, ""); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	refused := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"import os","profile":"strict"}`), 200)
	s.Call(t, "POST", "/v1/executions", s.Other, `{"code":"1"}`)
	ran := Into[cellwall.Result](t, s.Call(t, "POST", "/v1/executions", s.Agent, `{"code":"secret = 1"}`), 200)
	await(t, "the webhooks are not called", func() bool { return len(r.at("/all")) >= 2 && len(r.at("/done")) >= 1 })
	var heard []string
	for _, d := range r.at("/all") {
		kind, execution := d.told(t)
		heard = append(heard, kind+" "+execution)
		if d.id == "" || !d.signedBy(t, all.Secret) || d.signedBy(t, done.Secret) || bytes.Contains(d.body, []byte("secret")) {
			t.Errorf("%+v %s", d, d.body)
		}
	}
	slices.Sort(heard)
	if want := []string{"execution.done " + ran.ID, "execution.refused " + refused.ID}; !slices.Equal(heard, want) {
		t.Errorf("one hears %q, want %q", heard, want)
	}
	one := r.at("/done")
	if kind, execution := one[0].told(t); len(one) != 1 || kind != "execution.done" || execution != ran.ID || !one[0].signedBy(t, done.Secret) {
		t.Errorf("the other hears %d, %s of %s", len(one), kind, execution)
	}
	if n := len(r.at("/gone")); n != 0 {
		t.Errorf("one that was removed hears %d", n)
	}
}

func aWebhookIsMadeOnceUnderItsKey(t *testing.T, s *Service) {
	ask := `{"url":"https://example.com/x","kinds":["execution.done"]}`
	first := s.Call(t, "POST", "/v1/webhooks", s.Key, ask, "Idempotency-Key", "w")
	made := Into[webhookView](t, first, 201)
	again := s.Call(t, "POST", "/v1/webhooks", s.Key, ask, "Idempotency-Key", "w")
	if again.Status != 201 || !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again it is %d %v %s, first it was %s", again.Status, again.Header, again.Body, first.Body)
	}
	a := s.Call(t, "GET", "/v1/webhooks", s.Key, "")
	l := Into[List[webhookView]](t, a, 200)
	if len(l.Items) != 1 || l.Items[0].ID != made.ID || l.Items[0].URL != "https://example.com/x" || l.Items[0].State != "active" || !slices.Equal(l.Items[0].Kinds, []string{"execution.done"}) {
		t.Errorf("%s", a.Body)
	}
	one := s.Call(t, "GET", "/v1/webhooks/"+made.ID, s.Key, "")
	if got := Into[webhookView](t, one, 200); got.ID != made.ID || bytes.Contains(append(a.Body, one.Body...), []byte("whsec_")) {
		t.Errorf("the secret is shown again: %s %s", a.Body, one.Body)
	}
	refused(t, s, s.Key, []mistake{
		{"another kind", "POST", "/v1/webhooks", `{"url":"https://example.com","kinds":["x"]}`, 400, "kind"},
		{"no address of the web", "POST", "/v1/webhooks", `{"url":"ftp://example.com"}`, 400, "http"},
		{"nowhere", "POST", "/v1/webhooks", `{"url":""}`, 422, "url"},
	})
}

func webhooksAreTheirTenants(t *testing.T, s *Service) {
	made := hook(t, s, "https://example.com/x")
	all := []asking{
		{"POST", "/v1/webhooks", `{"url":"https://example.com/y"}`},
		{"GET", "/v1/webhooks", ""},
		{"GET", "/v1/webhooks/{id}", ""},
		{"DELETE", "/v1/webhooks/{id}", ""},
	}
	onlyForItsTenant(t, s, made.ID, all...)
	for _, c := range all {
		onlyWithScope(t, s, c.of(made.ID), s.Agent)
	}
	if l := Into[List[webhookView]](t, s.Call(t, "GET", "/v1/webhooks", s.Other, ""), 200); l.Items == nil || len(l.Items) != 0 {
		t.Errorf("another tenant lists %+v", l.Items)
	}
	if l := Into[List[webhookView]](t, s.Call(t, "GET", "/v1/webhooks", s.Key, ""), 200); len(l.Items) != 1 || l.Items[0].ID != made.ID {
		t.Errorf("afterwards there are %+v", l.Items)
	}
	if a := s.Call(t, "DELETE", "/v1/webhooks/"+made.ID, s.Key, ""); a.Status != 204 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	DemandProblem(t, "removed", s.Call(t, "GET", "/v1/webhooks/"+made.ID, s.Key, ""), 404, "not_found")
}
