package connect

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cellwall/cellwall"
)

func TestM51_ABucketGivesObjectsBelowItsPrefix(t *testing.T) {
	address := os.Getenv("CELLWALL_TEST_S3")
	if address == "" {
		t.Skip("skip, proof: no S3 server was started on this host, CELLWALL_TEST_S3 is empty")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := minio.DefaultTransport(false)
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	client, err := minio.New(u.Query().Get("endpoint"), &minio.Options{Creds: credentials.NewEnvAWS(), Region: u.Query().Get("region"), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	own := cellwall.NewID("t")
	for key, text := range map[string]string{
		own + "/in/a.csv": "a,b\n1,2\n", own + "/in/deep/b.csv": strings.Repeat("1\n", 50), own + "/out.csv": "secret\n",
		own + "/in/parts/1.csv": "a,b\n1,2", own + "/in/parts/2.csv": "a,b\r\n3,4\n", own + "/in/parts/_note": "x", own + "/in/parts-2/x.csv": "no\n", own + "/in/lines/1.jsonl": "{}", own + "/in/lines/2.jsonl": "{}\n",
		own + "/in/other/1.csv": "a\n1\n", own + "/in/other/2.csv": "b\n1\n", own + "/in/mixed/1.csv": "a\n1\n", own + "/in/mixed/2.jsonl": "{}", own + "/in/pictures/1.png": "x",
	} {
		if _, err := client.PutObject(t.Context(), u.Host, key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("LAKE_SECRET", os.Getenv("AWS_SECRET_ACCESS_KEY"))
	u.Path = "/" + own + "/in/"
	b, err := Open(t.TempDir(), map[string]Connection{
		"lake": {URL: u.String(), User: os.Getenv("AWS_ACCESS_KEY_ID"), SecretEnv: "LAKE_SECRET", Bytes: 64}, "super": {URL: u.String()},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, got, entry, err := take(t, b, Ask{Connection: "lake", Key: "a.csv"})
	if err != nil || text != "a,b\n1,2\n" || got.Name != "a.csv" || got.Program != "" || entry.Bytes != 8 {
		t.Fatalf("%q %+v %+v %v", text, got, entry, err)
	}
	for key, want := range map[string]cellwall.ErrorCode{
		"deep/b.csv": cellwall.CodeTooLarge, "none.csv": cellwall.CodeNotFound,
		"../out.csv": cellwall.CodeBadRequest, "deep/../../out.csv": cellwall.CodeBadRequest, "/out.csv": cellwall.CodeBadRequest, "./a.csv": cellwall.CodeBadRequest,
		"..\\out.csv": cellwall.CodeBadRequest, "deep/": cellwall.CodeBadRequest, own + "/out.csv": cellwall.CodeNotFound, "%2e%2e/out.csv": cellwall.CodeNotFound,
	} {
		if text, _, _, err := take(t, b, Ask{Connection: "lake", Key: key}); cellwall.CodeOf(err) != want || err == nil {
			t.Errorf("%q: %q %v", key, text, err)
		}
	}
	for prefix, want := range map[string]string{"parts": "a,b\n1,2\n3,4\n", "parts/": "a,b\n1,2\n3,4\n", "lines": "{}\n{}\n"} {
		text, got, entry, err := take(t, b, Ask{Connection: "lake", Prefix: prefix})
		if err != nil || text != want || !strings.HasPrefix(got.Name, strings.TrimSuffix(prefix, "/")+".") || entry.Prefix != prefix {
			t.Errorf("%s: %q %+v %v", prefix, text, got, err)
		}
	}
	for prefix, want := range map[string]cellwall.ErrorCode{
		"other": cellwall.CodeBadRequest, "mixed": cellwall.CodeBadRequest, "pictures": cellwall.CodeBadRequest, "nowhere": cellwall.CodeNotFound, "deep": cellwall.CodeTooLarge,
		"..": cellwall.CodeBadRequest, "../": cellwall.CodeBadRequest, "/": cellwall.CodeBadRequest, "deep/../..": cellwall.CodeBadRequest, "part": cellwall.CodeNotFound,
	} {
		if text, _, _, err := take(t, b, Ask{Connection: "lake", Prefix: prefix}); cellwall.CodeOf(err) != want || err == nil {
			t.Errorf("%q: %q %v", prefix, text, err)
		}
	}
	if _, _, _, err := take(t, b, Ask{Connection: "super", Key: "a.csv"}); cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Error("without a key:", err)
	}
	t.Setenv("LAKE_SECRET", hidden)
	if _, _, _, err := take(t, b, Ask{Connection: "lake", Key: "a.csv"}); cellwall.CodeOf(err) != cellwall.CodeForbidden {
		t.Error("with another key:", err)
	}
}
