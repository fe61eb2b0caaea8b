package cellwall

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// The prefixes of ids.
const (
	PrefixExecution  = "exec"
	PrefixSession    = "sess"
	PrefixDataset    = "ds"
	PrefixArtifact   = "art"
	PrefixCheckpoint = "cp"
	PrefixTemplate   = "tpl"
	PrefixTenant     = "tnt"
	PrefixKey        = "key"
	PrefixCall       = "req" // one call of the service
	PrefixUpload     = "up"  // an upload that may be resumed
	PrefixEvent      = "evt"
	PrefixWebhook    = "hook"
	PrefixAlert      = "alrt"
	PrefixReceipt    = "rcpt"
	PrefixFetch      = "fetch" // a file that was brought from the web
	PrefixSnapshot   = "snap"  // of a database or a bucket
	PrefixToolCall   = "tool"
	PrefixApproval   = "apr"
	PrefixRating     = "rate" // of a record
)

var idAlphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID returns "<prefix>_" and 26 random characters of [a-z2-7] (130 bits
// written, 128 random). An id names a thing; it never grants access to it.
func NewID(prefix string) string {
	var b [17]byte
	rand.Read(b[:16]) // crypto/rand.Read never fails: it ends the process instead
	return prefix + "_" + idAlphabet.EncodeToString(b[:])[:26]
}

// IDBeside returns the id of another kind that goes with one: the same characters
// behind another prefix. What reserves one id has reserved one of each kind with it.
func IDBeside(prefix, id string) string {
	_, rest, _ := strings.Cut(id, "_")
	return prefix + "_" + rest
}

// IDFor returns the id of what is made where an id was reserved: the one beside that.
// It is the same at each try. reserved "" = none was: a new one.
func IDFor(prefix, reserved string) string {
	if reserved == "" {
		return NewID(prefix)
	}
	return IDBeside(prefix, reserved)
}

// ValidID reports whether id has the form that NewID gives for prefix.
func ValidID(prefix, id string) bool {
	rest, ok := strings.CutPrefix(id, prefix+"_")
	return ok && len(rest) == 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
