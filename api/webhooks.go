package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwall/cellwall"
)

// Webhooks are the addresses that are told what happens. cmd joins packages
// notify and store to it.
type Webhooks interface {
	// Make checks the address and gives the webhook a secret, once: where one of its
	// id stands, that is given. CodeBadRequest: it may not be told.
	Make(ctx context.Context, tenant, id, url string, kinds []string) (cellwall.Webhook, error)
	Webhooks(ctx context.Context, tenant string) ([]cellwall.Webhook, error)
	Webhook(ctx context.Context, tenant, id string) (cellwall.Webhook, error)
	DeleteWebhook(ctx context.Context, tenant, id string) error
}

func (s *Server) registerWebhooks() {
	if s.opts.Webhooks == nil {
		return
	}
	handle(s, "createWebhook", s.createWebhook, func(op *huma.Operation) { op.DefaultStatus = http.StatusCreated })
	handle(s, "listWebhooks", s.listWebhooks)
	handle(s, "getWebhook", s.getWebhook)
	handle(s, "deleteWebhook", s.deleteWebhook)
}

// webhookView is a webhook as its owner sees it.
type webhookView struct {
	ID        string                `json:"id"`
	URL       string                `json:"url"`
	Kinds     []string              `json:"kinds" doc:"Of events; empty: all"`
	State     cellwall.WebhookState `json:"state" enum:"active,paused"`
	CreatedAt time.Time             `json:"created_at"`
	Secret    string                `json:"secret,omitempty" doc:"Signs what is sent, as Standard Webhooks says; shown once"`
}

func viewWebhook(w cellwall.Webhook) webhookView {
	v := webhookView{ID: w.ID, URL: w.URL, Kinds: w.Kinds, State: w.State, CreatedAt: w.At.UTC()}
	if v.Kinds == nil {
		v.Kinds = []string{}
	}
	return v
}

type (
	createWebhookIn struct {
		Body struct {
			URL   string   `json:"url" minLength:"1" maxLength:"2048" doc:"https, and public"`
			Kinds []string `json:"kinds,omitempty" maxItems:"32" nullable:"false" doc:"Of events; left out: all"`
		}
	}
	webhookIn struct {
		ID string `path:"id" maxLength:"64"`
	}
	webhookOut  struct{ Body webhookView }
	webhooksOut struct {
		Body struct {
			Items []webhookView `json:"items"`
		}
	}
)

// eventKinds are those that a webhook can ask for.
var eventKinds = map[string]bool{
	"execution.done": true, "execution.refused": true, "execution.lost": true,
	"session.opened": true, "session.ended": true,
	"tenant.quarantined": true, "tenant.released": true, "lockdown.begun": true, "lockdown.ended": true,
	"approval.requested": true, "approval.decided": true, "approval.expired": true,
	"alert.raised": true, "alert.cleared": true,
}

func (s *Server) createWebhook(ctx context.Context, in *createWebhookIn) (*webhookOut, error) {
	for _, kind := range in.Body.Kinds {
		if !eventKinds[kind] {
			return nil, &cellwall.Error{
				Code: cellwall.CodeBadRequest, Op: "make webhook", Err: errors.New("there is no such kind of events"), Hint: "see /docs for the kinds",
			}
		}
	}
	made, err := s.opts.Webhooks.Make(ctx, callerOf(ctx).Tenant, newID(ctx, cellwall.PrefixWebhook), in.Body.URL, in.Body.Kinds)
	if err != nil {
		return nil, err
	}
	out := &webhookOut{viewWebhook(made)}
	out.Body.Secret = made.Secret
	return out, nil
}

func (s *Server) listWebhooks(ctx context.Context, _ *struct{}) (*webhooksOut, error) {
	list, err := s.opts.Webhooks.Webhooks(ctx, callerOf(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	out := &webhooksOut{}
	out.Body.Items = make([]webhookView, 0, len(list))
	for _, w := range list {
		out.Body.Items = append(out.Body.Items, viewWebhook(w))
	}
	return out, nil
}

func (s *Server) getWebhook(ctx context.Context, in *webhookIn) (*webhookOut, error) {
	w, err := s.opts.Webhooks.Webhook(ctx, callerOf(ctx).Tenant, in.ID)
	if err != nil {
		return nil, err
	}
	return &webhookOut{viewWebhook(w)}, nil
}

func (s *Server) deleteWebhook(ctx context.Context, in *webhookIn) (*struct{}, error) {
	return nil, s.opts.Webhooks.DeleteWebhook(ctx, callerOf(ctx).Tenant, in.ID)
}
