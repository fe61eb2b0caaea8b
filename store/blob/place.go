package blob

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// newPlace names a place for a content that nobody has used before.
func newPlace(sum string) string { return sum + "-" + strings.ToLower(rand.Text()) }

// sumOf returns the SHA-256 that a place says its content has.
func sumOf(place string) (string, error) {
	sum, random, ok := strings.Cut(place, "-")
	raw, err := hex.DecodeString(sum)
	if !ok || err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != sum || random == "" ||
		strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", &cellwall.Error{Code: cellwall.CodeInternal, Op: "find content", Err: fmt.Errorf("%.99q is no place", place)}
	}
	return sum, nil
}

// gone is the error for a content that is not where it should be.
func gone(place string, err error) error {
	if err == nil {
		err = errors.New("it is not there")
	}
	return &cellwall.Error{Code: cellwall.CodeNotFound, Op: "open content " + place, Err: err}
}
