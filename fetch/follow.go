package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/cellwall/cellwall"
)

// maxHops is how many redirects one fetch follows.
const maxHops = 5

var errBusy = errors.New("as many fetches of this tenant as may be run already")

// follow goes from address to address, and looks at each as if it were the first.
func (f *Fetcher) follow(ctx context.Context, ask Ask, entry *Entry) (*Fetched, error) {
	text, secure := ask.URL, false
	for range maxHops + 1 {
		t, err := readTarget(text)
		if err != nil {
			return nil, err
		}
		if entry.Hops = append(entry.Hops, t.url.String()); secure && t.url.Scheme != "https" {
			return nil, forbidden("it leads from https to http", "fetch the address that it leads to, where http is allowed")
		}
		if !ask.Hosts.allows(t) {
			what := fmt.Sprintf("%s://%s is not a host", t.url.Scheme, t.url.Host)
			if len(entry.Hops) > 1 { // its name is the other side's text; the record has it
				what = "it leads on to what is not a host"
			}
			return nil, forbidden(what+" that this tenant may fetch from",
				"the operator allows hosts: fetch_hosts in the tenant's terms")
		}
		secure = t.url.Scheme == "https"
		got, next, err := f.once(ctx, ask, t)
		if err != nil || got != nil {
			return got, inTime(ctx, err)
		}
		text = next
	}
	return nil, failed(fmt.Sprintf("it leads on more than %d times", maxHops), "fetch the address that it ends at", nil)
}

// inTime says that the time is over where that is why.
func inTime(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && cellwall.CodeOf(err) == cellwall.CodeSourceFailed {
		return failed("it takes too long", "fetch a smaller file", err)
	}
	return err
}

// once asks one address: for a file, or for where it is.
func (f *Fetcher) once(ctx context.Context, ask Ask, t target) (got *Fetched, next string, err error) {
	kept := f.cache.look(ask.Who.Tenant, t.url.String())
	if kept.fresh() {
		got, err = kept.give(ask.MaxBytes)
		return got, "", err
	}
	found, err := f.resolve(ctx, t.name)
	if err != nil {
		kept.drop()
		return nil, "", err
	}
	transport := &http.Transport{
		DialContext: f.dialer(found, t.port), DisableKeepAlives: true, DisableCompression: true,
		TLSClientConfig: &tls.Config{RootCAs: f.opts.Roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: f.opts.Patience,
		ResponseHeaderTimeout: f.opts.Patience, MaxResponseHeaderBytes: 64 << 10,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // one protocol, and one reader of it: HTTP/1.1
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := transport.RoundTrip(request(ctx, t, kept)) // a client would follow redirects
	if err != nil {
		kept.drop()
		return nil, "", unreached(err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		kept.drop()
		got, err = f.take(ctx, cancel, ask, t, answer)
		return got, "", err
	case http.StatusNotModified:
		if kept != nil {
			f.cache.confirm(kept, answer.Header)
			got, err = kept.give(ask.MaxBytes)
			return got, "", err
		}
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		kept.drop()
		next, err = onward(t, answer.Header.Get("Location"))
		return nil, next, err
	}
	kept.drop()
	return nil, "", failed(fmt.Sprintf("its host answers %d", answer.StatusCode), "open the address in a browser", nil)
}

// request asks for a file as nobody in particular.
func request(ctx context.Context, t target, kept *handle) *http.Request {
	r := (&http.Request{
		Method: http.MethodGet, URL: t.url, Host: t.url.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"User-Agent": {"cellwall"}, "Accept": {accepted}, "Accept-Encoding": {"gzip"}},
	}).WithContext(ctx)
	kept.ask(r.Header)
	return r
}

// onward is where a redirect leads.
func onward(t target, location string) (string, error) {
	if location == "" || len(location) > maxURL {
		return "", failed("it leads nowhere", "open the address in a browser", nil)
	}
	if strings.ContainsAny(location, "\\ \t\r\n") {
		return "", malformed("it leads to an address with a space, a backslash or a control character")
	}
	u, err := t.url.Parse(location)
	if err != nil {
		return "", malformed("it leads to what is no address")
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), nil
}

// unreached puts what went wrong on the way into words that tell nothing of the
// network that this host stands in.
func unreached(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return failed("the certificate of its host is not accepted", "its operator has to mend it", err)
	case errors.As(err, &record):
		return failed("its host does not speak TLS", "check the port", err)
	}
	return failed("its host does not answer", "try again later", err)
}
