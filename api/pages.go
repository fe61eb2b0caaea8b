package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/cellwall/cellwall"
)

// PageQuery is the query of a list. It is exported for huma, which sees nothing else.
type PageQuery struct {
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most"`
	After string `query:"after" maxLength:"400" doc:"The next of the page before"`
}

// paged is the frame of a list, newest first.
type paged[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next" doc:"What after takes for the next page; null on the last one"`
}

// pageFrom opens the cursor that a caller sends back. One of another tenant, or
// that nobody made, is a bad request.
func (s *Server) pageFrom(ctx context.Context, in PageQuery) (cellwall.Page, error) {
	page := cellwall.Page{Limit: in.Limit}
	if in.After == "" {
		return page, nil
	}
	sealed, tag, _ := strings.Cut(in.After, ".")
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	given, errTag := base64.RawURLEncoding.DecodeString(tag)
	if err != nil || errTag != nil || !hmac.Equal(given, s.cursorTag(ctx, string(raw))) {
		return page, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read after", Err: errors.New("it is no cursor of a list of yours"),
			Hint: "send next as the page before gave it, or leave it away to begin anew",
		}
	}
	page.After = string(raw)
	return page, nil
}

// next seals the cursor of a store for its tenant; "" stays the end.
func (s *Server) next(ctx context.Context, cursor string) *string {
	if cursor == "" {
		return nil
	}
	sealed := base64.RawURLEncoding.EncodeToString([]byte(cursor)) + "." +
		base64.RawURLEncoding.EncodeToString(s.cursorTag(ctx, cursor))
	return &sealed
}

func (s *Server) cursorTag(ctx context.Context, cursor string) []byte {
	return s.sign("cursor", callerOf(ctx).Tenant, cursor)[:16]
}

// sign authenticates parts for one purpose.
func (s *Server) sign(purpose string, parts ...string) []byte {
	mac := hmac.New(sha256.New, s.opts.Secret[:])
	mac.Write([]byte(purpose))
	for _, p := range parts {
		mac.Write([]byte{0})
		mac.Write([]byte(p)) // ids and cursors hold no NUL
	}
	return mac.Sum(nil)
}
