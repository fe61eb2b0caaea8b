package cellwall

import (
	"encoding/json"
	"time"
)

// Webhook is an address that is told what happens to a tenant.
type Webhook struct {
	ID     string // hook_…
	Tenant string
	URL    string
	Secret string   // signs what is sent; shown once, to whoever made it
	Kinds  []string // of happenings; nil = all
	State  WebhookState
	At     time.Time
}

// WebhookState is whether a webhook is told anything.
type WebhookState string

// The states.
const (
	WebhookActive WebhookState = "active"
	WebhookPaused WebhookState = "paused"
)

// Delivery is one happening on its way to one webhook.
type Delivery struct {
	Tenant     string
	Webhook    string
	Event      uint64 // Happening.Seq
	Tries      int
	NextAt     time.Time
	State      DeliveryState
	LastStatus int // of HTTP; 0 = there was no answer
}

// DeliveryState is how far a delivery has come.
type DeliveryState string

// The states.
const (
	DeliveryWaiting DeliveryState = "waiting"
	DeliveryTaken   DeliveryState = "taken"
	DeliveryGivenUp DeliveryState = "given_up"
)

// DueDelivery is a delivery whose time has come, with what it needs.
type DueDelivery struct {
	Delivery  Delivery
	Webhook   Webhook
	Happening Happening
}

// AlertRule is something a tenant wants to hear of when it becomes too much.
type AlertRule struct {
	ID     string // alrt_…
	Tenant string
	Rule   json.RawMessage // as package notify reads it
	State  json.RawMessage // as package notify writes it
	At     time.Time
}
