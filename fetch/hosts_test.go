package fetch

import (
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM7_OnlyHostsOfTheListAreAllowed(t *testing.T) {
	hosts, err := ParseHosts([]string{"Data.Example.org", "files.example.org:8443", "*.open.example.net", "http://old.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]bool{
		"https://data.example.org/x.csv": true, "https://DATA.example.ORG./x": true, "https://data.example.org:443/x": true, "https://data.example.org": true,
		"https://files.example.org:8443/": true, "https://a.open.example.net/": true, "https://a.b.open.example.net/x?q=1": true, "http://old.example.org/": true,
		"http://data.example.org/": false, "https://data.example.org:8443/": false, "https://files.example.org/": false, "https://open.example.net/": false,
		"https://evilopen.example.net/": false, "https://data.example.org.evil.com/": false, "https://evil.com/data.example.org": false,
		"https://xdata.example.org/": false, "https://old.example.org/": false, "https://evil.com/?x=https://data.example.org/": false, "https://example.org/": false,
	} {
		got, err := readTarget(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		} else if hosts.allows(got) != want {
			t.Errorf("%s: allowed %v", url, !want)
		}
	}
	got, err := readTarget("https://data.example.org/")
	if err != nil || Hosts(nil).allows(got) {
		t.Error("an empty list allows something", err)
	}
}

func TestM7_WhatIsNoHostIsNotAllowedByAnOperatorEither(t *testing.T) {
	for _, text := range []string{
		"", "*", "*.", "*.com", "*.co.uk", "a.*.example.org", "**.example.org", "10.0.0.1", "8.8.8.8", "[::1]", "[2606:4700::1111]:443", "ftp://example.org",
		"https://user@example.org", "example.org/path", "example.org:0", "example.org:99999", "example.org:08", "exa mple.org", "例子.cn", "0x7f000001", "2130706433", "127.1",
	} {
		if _, err := ParseHosts([]string{text}); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if _, err := ParseHosts([]string{"*.github.io"}); err == nil {
		t.Error("everybody can have a name below github.io")
	}
}

// Each of these is read as another host by some reader, or breaks a line.
func TestM7_AnAddressThatTwoReadersCouldReadApartIsNone(t *testing.T) {
	for _, url := range []string{
		"", "data.example.org", "//data.example.org/", "https:data.example.org", "https:///x", "https://", "ftp://data.example.org/", "file:///etc/passwd",
		"javascript:alert(1)", "gopher://data.example.org/", "https://data.example.org@evil.com/", "https://user:pw@data.example.org/", "https://@data.example.org/",
		"https://evil.com\\@data.example.org/", "https://data.example.org\\.evil.com/", "https://data.example.org\r\nHost: evil.com/", "https://data.example.org/a b",
		"https://data.example.org/\r\nX-Evil: 1", "https://data.example.org/\x00", "https://data.example.org\t/", "https://data.example.org%0d%0a/", "https://data.example.org%2f@evil.com/",
		"https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/", "https://0x7f.1/", "https://169.254.169.254/latest/meta-data/",
		"https://[::1]/", "https://[::ffff:169.254.169.254]/", "https://[fe80::1%25lo]/", "https://[2606:4700::1111]/", "https://8.8.8.8/", "https://1.1.1.1./", "https://a.0x10/", "https://a.b.123/",
		"https://dаta.example.org/", "https://例え.jp/", "https://data。example.org/", "https://data.example.org\u00ad/", "https://ⓓata.example.org/", "https://data..example.org/", "https://.example.org/",
		"https://-data.example.org/", "https://data.example.org:/", "https://data.example.org:0/", "https://data.example.org:65536/", "https://data.example.org:0443/", "https://data.example.org:https/",
		"https://data.example.org:443:80/", "https://data.example.org]/", "https://[data.example.org]/", "https://data.example.org/%zz",
	} {
		got, err := readTarget(url)
		if err == nil {
			t.Errorf("%q is read as host %q", url, got.name)
		} else if cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%q: %v", url, err)
		}
	}
	for url, want := range map[string]string{ // siblings that are fine
		"https://xn--fsq.example.org/": "https://xn--fsq.example.org/", "https://data.example.org/销售.csv?月=1#top": "https://data.example.org/%E9%94%80%E5%94%AE.csv?%E6%9C%88=1",
		"https://data.example.org/a@b?c=@d": "https://data.example.org/a@b?c=@d", "https://data.example.org/a%20b%0d": "https://data.example.org/a%20b%0d", "HTTPS://Data.Example.org": "https://data.example.org/",
	} {
		if got, err := readTarget(url); err != nil || got.url.String() != want {
			t.Errorf("%q: %v %v", url, got.url, err)
		}
	}
}

func FuzzReadTarget(f *testing.F) {
	for _, url := range []string{"https://data.example.org/x", "https://a@b/", "http://[::1]:1/", "https://0x7f.1/?a=b#c"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		got, err := readTarget(url)
		if err != nil {
			return
		}
		again, err := readTarget(got.url.String())
		if err != nil || again.name != got.name || again.port != got.port || again.url.String() != got.url.String() {
			t.Errorf("%q is read as %v, and that as %v %v", url, got.url, again.url, err)
		}
	})
}
