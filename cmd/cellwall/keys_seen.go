package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/cellwall/cellwall"
)

// seenPatience is how long a change of keys waits for the service; it looks
// twice a second.
const seenPatience = 5 * time.Second

// awaitSeen returns when the service of this user over the state directory, if
// there is one, has seen a change of the key: a new key opens and a revoked one
// is shut from the moment that the verb ends. Another service over the same
// database sees it within half a second.
func (p *program) awaitSeen(ctx context.Context, c *config, k cellwall.Key, seen func(keyDocument) bool) {
	service := localClient(ctx, c, "/healthz", localSure)
	if service == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, seenPatience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		for _, known := range service.keys(ctx, k.Tenant) {
			if known.ID == k.ID && seen(known) {
				return
			}
		}
		select {
		case <-ctx.Done():
			p.stderr.say(plain, "cellwall: ", "the service that runs here has not seen the change yet: does it use this database?")
			return
		case <-again.C:
		}
	}
}

// keys lists what a service knows of a tenant's keys; nothing when it cannot say.
func (c *client) keys(ctx context.Context, tenant string) []keyDocument {
	res, err := c.do(ctx, http.MethodGet, "/v1/keys?tenant="+url.QueryEscape(tenant), nil, nil)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	var list struct{ Items []keyDocument }
	if json.NewDecoder(io.LimitReader(res.Body, 16<<20)).Decode(&list) != nil {
		return nil
	}
	return list.Items
}
