package api

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// A link holds whose artifact it opens, until when, and a signature over both
// and the id. It is the only thing that is opened without a key.

const defaultLink = time.Hour

type linkBody struct {
	Seconds int64 `json:"expires_in_s,omitempty" minimum:"1" maximum:"604800" doc:"How long it opens; 3600 when left away"`
}

// linkView is a link as it is given away.
type linkView struct {
	URL     string    `json:"url" doc:"A path of this service with its query"`
	Expires time.Time `json:"expires_at"`
}

type linkIn struct {
	ID   string    `path:"id" maxLength:"64"`
	Body *linkBody `required:"false"`
}

type linkOut struct{ Body linkView }

func (s *Server) linkArtifact(ctx context.Context, in *linkIn) (*linkOut, error) {
	if s.opts.Artifacts == nil {
		return nil, notThere("artifact")
	}
	tenant := callerOf(ctx).Tenant
	a, err := s.opts.Artifacts.Artifact(ctx, tenant, in.ID)
	if err == nil {
		err = s.released(ctx, tenant, a)
	}
	if err != nil {
		return nil, err
	}
	life := defaultLink
	if in.Body != nil && in.Body.Seconds > 0 {
		life = time.Duration(in.Body.Seconds) * time.Second
	}
	expires := time.Now().Add(life).Truncate(time.Second).UTC()
	until := strconv.FormatInt(expires.Unix(), 10)
	query := url.Values{"tenant": {tenant}, "expires": {until}, "signature": {hex.EncodeToString(s.sign("link", tenant, in.ID, until))}}
	return &linkOut{linkView{URL: "/v1/artifacts/" + in.ID + "/content?" + query.Encode(), Expires: expires}}, nil
}

func (s *Server) openLink(w http.ResponseWriter, r *http.Request) error {
	q, id := r.URL.Query(), r.PathValue("id")
	tenant, until := q.Get("tenant"), q.Get("expires")
	given, err := hex.DecodeString(q.Get("signature"))
	if err != nil || strings.ContainsRune(tenant+id+until, 0) || !hmac.Equal(given, s.sign("link", tenant, id, until)) {
		return badLink("it is not one that was given away")
	}
	if seconds, err := strconv.ParseInt(until, 10, 64); err != nil || time.Now().Unix() >= seconds {
		return badLink("it has expired")
	}
	if s.opts.Artifacts == nil {
		return notThere("artifact")
	}
	a, err := s.opts.Artifacts.Artifact(r.Context(), tenant, id)
	if err == nil {
		err = s.released(r.Context(), tenant, a)
	}
	if err != nil {
		return err
	}
	return s.sendArtifact(w, r, a)
}

func badLink(why string) error {
	return &cellwall.Error{
		Code: cellwall.CodeForbidden, Op: "open link", Err: errors.New(why), Hint: "ask its owner for a new one",
	}
}
