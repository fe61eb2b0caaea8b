package notify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/internet"
)

// maxTry is how long one try may take.
const maxTry = 15 * time.Second

// deliver sends what is due until ctx ends.
func (b *Bus) deliver(ctx context.Context) {
	crew := &crew{places: make(chan struct{}, b.opts.Senders), tenants: map[string]int{}}
	defer crew.work.Wait()
	for {
		more := b.round(ctx, crew)
		if ctx.Err() != nil {
			return
		}
		if more {
			continue
		}
		if _, err := wait(ctx, b.opts.Poll, b.due); err != nil {
			return
		}
	}
}

// crew is those who send.
type crew struct {
	places chan struct{}
	work   sync.WaitGroup

	mu      sync.Mutex
	tenants map[string]int // deliveries under way
}

// round hands what is due to the senders; more says that there may be more.
func (b *Bus) round(ctx context.Context, c *crew) (more bool) {
	const batch = 64
	list, err := b.opts.Book.Due(ctx, time.Now(), batch)
	if err != nil {
		if ctx.Err() == nil {
			b.opts.Logger.Error("look for deliveries", "error", err)
		}
		return false
	}
	for _, d := range list {
		if !c.take(d.Delivery.Tenant, b.opts.PerTenant) {
			b.later(ctx, d.Delivery)
			continue
		}
		select {
		case c.places <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		c.work.Go(func() {
			defer func() {
				<-c.places
				c.give(d.Delivery.Tenant)
				b.look()
			}()
			b.try(ctx, d)
		})
	}
	return len(list) == batch
}

// take takes one of the tenant's places, so that a receiver that is slow holds up
// no other tenant's.
func (c *crew) take(tenant string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tenants[tenant] >= most {
		return false
	}
	c.tenants[tenant]++
	return true
}

func (c *crew) give(tenant string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tenants[tenant]--; c.tenants[tenant] == 0 {
		delete(c.tenants, tenant)
	}
}

// later puts a delivery back that was not tried.
func (b *Bus) later(ctx context.Context, d cellwall.Delivery) {
	d.NextAt = time.Now().Add(b.opts.Poll)
	b.note(ctx, d)
}

func (b *Bus) note(ctx context.Context, d cellwall.Delivery) {
	if err := b.opts.Book.Tried(context.WithoutCancel(ctx), d); err != nil {
		b.opts.Logger.Error("note delivery", "webhook", d.Webhook, "error", err) // it is handed out again
	}
}

// try sends one delivery and notes what came of it.
func (b *Bus) try(ctx context.Context, d cellwall.DueDelivery) {
	within, cancel := context.WithTimeout(ctx, maxTry)
	defer cancel()
	now := time.Now()
	answer, err := b.send(within, d, now)
	if ctx.Err() != nil {
		return // the service stops: the next one tries
	}
	if err != nil {
		b.opts.Logger.Info("deliver event", "webhook", d.Webhook.ID, "event", d.Happening.ID, "try", d.Delivery.Tries+1, "error", err)
	}
	judged := judge(d.Delivery, answer, now, b.opts.jitter)
	b.tried.count(judged.State)
	b.note(ctx, judged)
	if answer != nil && answer.StatusCode == http.StatusGone { // for good, says its receiver
		if err := b.opts.Book.PauseWebhook(context.WithoutCancel(ctx), d.Webhook.Tenant, d.Webhook.ID); err != nil {
			b.opts.Logger.Error("pause webhook", "webhook", d.Webhook.ID, "error", err)
		}
	}
}

// send makes one try. The answer's body is closed.
func (b *Bus) send(ctx context.Context, d cellwall.DueDelivery, now time.Time) (*http.Response, error) {
	if err := CheckURL(d.Webhook.URL, b.opts.AllowPrivate); err != nil {
		return nil, err // the operator's mind may have changed
	}
	body, err := payload(d.Happening)
	if err != nil {
		return nil, err
	}
	signature, err := Sign(d.Webhook.Secret, d.Happening.ID, now, body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Webhook.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "cellwall")
	req.Header.Set("webhook-id", d.Happening.ID)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("webhook-signature", signature)
	answer, err := b.opts.Transport.RoundTrip(req) // a client would follow redirects
	if err != nil {
		if errors.Is(err, internet.ErrPrivate) {
			return nil, internet.ErrPrivate // without the address: that is the resolver's word
		}
		return nil, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be used again
	return answer, nil
}
