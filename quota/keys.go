package quota

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// KeyPrefix begins every key: E2B's own clients ask for it.
const KeyPrefix = "e2b_"

const keyBytes = 20

// NewKey makes a key. text is what its holder is told, once; the zero expires
// means never.
func NewKey(tenant, name string, scopes []string, expires time.Time) (text string, k cellwall.Key) {
	var secret [keyBytes]byte
	rand.Read(secret[:]) // crypto/rand.Read never fails: it ends the process instead
	text = KeyPrefix + hex.EncodeToString(secret[:])
	return text, cellwall.Key{
		ID: cellwall.NewID(cellwall.PrefixKey), Tenant: tenant, Name: name, Scopes: slices.Clone(scopes),
		SHA256: HashKey(text), Created: time.Now().UTC(), Expires: expires,
	}
}

// maxKey is how much of what somebody sends is looked at.
const maxKey = 256

// HashKey is what is kept of a key.
func HashKey(text string) [32]byte { return sha256.Sum256([]byte(text[:min(len(text), maxKey)])) }

// IsKey reports whether text has the form of a key.
func IsKey(text string) bool {
	digits, ok := strings.CutPrefix(text, KeyPrefix)
	return ok && len(digits) == 2*keyBytes && strings.Trim(digits, "0123456789abcdef") == ""
}

// errKey is the one answer to a key that opens nothing.
var errKey error = &cellwall.Error{
	Code: cellwall.CodeUnauthenticated, Op: "authenticate", Err: errors.New("the key is missing or opens nothing"),
	Hint: "send a key as X-API-Key or Authorization: Bearer; the operator makes one with cellwall keys create",
}

// nobody is what an unknown key is compared with: the same work, its tenant found
// too, and never open, for nothing has this hash.
var nobody = cellwall.Key{Tenant: cellwall.LocalTenant}

// authenticate finds whose key it is. It takes the same steps whatever comes of
// them.
func (d *directory) authenticate(text string, now time.Time) (cellwall.Identity, error) {
	sum := HashKey(text)
	k, known := d.keys[sum]
	if !known {
		k = &nobody
	}
	open := subtle.ConstantTimeCompare(sum[:], k.SHA256[:])
	open &= bit(k.Revoked.IsZero())
	open &= bit(k.Expires.IsZero()) | bit(now.Before(k.Expires))
	t, there := d.tenants[k.Tenant]
	if !there {
		t = &closed
	}
	open &= bit(t.State != cellwall.TenantClosed)
	who := cellwall.Identity{Tenant: k.Tenant, Key: k.ID, Scopes: k.Scopes}
	if open != 1 {
		return cellwall.Identity{}, errKey
	}
	return who, nil
}

var closed = cellwall.Tenant{State: cellwall.TenantClosed}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
