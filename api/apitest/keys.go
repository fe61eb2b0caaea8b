package apitest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Keys knows the callers of a test.
type Keys struct {
	mu      sync.Mutex
	keys    map[string]cellwall.Key
	tenants map[string]cellwall.Tenant
	Limited func(cellwall.Identity) error // nil = no rate
}

func newKeys() *Keys {
	return &Keys{keys: map[string]cellwall.Key{}, tenants: map[string]cellwall.Tenant{}}
}

// Add makes a key of a tenant, and the tenant.
func (k *Keys) Add(tenant string, expires time.Time, scopes ...string) string {
	var b [20]byte
	rand.Read(b[:])
	text := "e2b_" + hex.EncodeToString(b[:])
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[text] = cellwall.Key{ID: cellwall.NewID(cellwall.PrefixKey), Tenant: tenant, Scopes: scopes, Expires: expires}
	if _, ok := k.tenants[tenant]; !ok {
		k.tenants[tenant] = cellwall.Tenant{ID: tenant, State: cellwall.TenantActive}
	}
	return text
}

// Revoke has a key open nothing from now on.
func (k *Keys) Revoke(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, key)
}

// Change changes the terms of a tenant.
func (k *Keys) Change(tenant string, change func(*cellwall.Terms)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tenants[tenant]
	change(&t.Terms)
	k.tenants[tenant] = t
}

// Authenticate implements api.Keys.
func (k *Keys) Authenticate(_ context.Context, key string) (cellwall.Identity, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.keys[key]
	if !ok || !found.Expires.IsZero() && time.Now().After(found.Expires) {
		return cellwall.Identity{}, &cellwall.Error{
			Code: cellwall.CodeUnauthenticated, Op: "check key", Err: errors.New("it opens nothing"), Hint: "cellwall keys create makes one",
		}
	}
	return cellwall.Identity{Tenant: found.Tenant, Key: found.ID, Scopes: found.Scopes}, nil
}

// Take implements api.Keys.
func (k *Keys) Take(who cellwall.Identity) error {
	if k.Limited != nil {
		return k.Limited(who)
	}
	return nil
}

// Tenant implements api.Keys.
func (k *Keys) Tenant(id string) (cellwall.Tenant, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tenants[id], nil
}
