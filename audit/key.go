package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Key signs receipts, and the anchor of records that were let go.
type Key struct{ private ed25519.PrivateKey }

// PublicKey checks what a Key signed.
type PublicKey struct{ key ed25519.PublicKey }

// keyPrefix begins the text of a public key.
const keyPrefix = "ed25519:"

// OpenKey reads the key of the file at path (mode 0600, its directory 0700), or
// makes one.
func OpenKey(path string) (*Key, error) {
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read signing key: %s can be read by others (mode %v)", path, info.Mode().Perm())
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("read signing key: %s has %d bytes, not %d", path, len(seed), ed25519.SeedSize)
	}
	return &Key{private: ed25519.NewKeyFromSeed(seed)}, nil
}

// makeKey writes a new key under a name of its own first: of two processes that
// make one at once, both use the one that came first.
func makeKey(path string) (*Key, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make signing key: %w", err)
	}
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed)
	temp := path + "." + rand.Text()
	err := writeSynced(temp, seed)
	if err == nil {
		err = os.Link(temp, path)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	err = errors.Join(err, os.Remove(temp), syncDir(filepath.Dir(path)))
	if err != nil {
		return nil, fmt.Errorf("make signing key: %w", err)
	}
	return OpenKey(path)
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// Public returns the half of the key that everybody may have.
func (k *Key) Public() *PublicKey {
	return &PublicKey{key: k.private.Public().(ed25519.PublicKey)}
}

func (k *Key) sign(message []byte) []byte { return ed25519.Sign(k.private, message) }

func (p *PublicKey) verify(message, signature []byte) bool {
	return ed25519.Verify(p.key, message, signature)
}

// String is "ed25519:" and the key in base64.
func (p *PublicKey) String() string { return keyPrefix + base64.StdEncoding.EncodeToString(p.key) }

// ParsePublicKey reads what String wrote.
func ParsePublicKey(text string) (*PublicKey, error) {
	coded, ok := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	raw, err := base64.StdEncoding.DecodeString(coded)
	if !ok || err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%.80q is no public key: it begins with %s", text, keyPrefix)
	}
	return &PublicKey{key: raw}, nil
}
