package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
)

// The parts are the snapshot of a file of SQLite, twice.
func TestM51_PartsOfATableAreJoinedInASandbox(t *testing.T) {
	address := os.Getenv("CELLWALL_TEST_S3")
	if address == "" {
		t.Skip("skip, proof: no S3 server was started on this host, CELLWALL_TEST_S3 is empty")
	}
	if !testkit.Long() {
		t.Skip("skip, proof: parts of text are joined in connect, a program of ours runs in a sandbox for SQLite; test-all joins Parquet")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	own := cellwall.NewID("t")
	u.Path = "/" + own
	good, _ := shopFile(t)
	t.Setenv("LAKE_SECRET", os.Getenv("AWS_SECRET_ACCESS_KEY"))
	s := realService(t, "--config", settingsFile(t, fmt.Sprintf("[connection.file]\nurl = \"sqlite:%s\"\n[connection.lake]\nurl = %q\nuser = %q\nsecret_env = \"LAKE_SECRET\"\n[tenants.acme]\nconnections = [\"file\", \"lake\"]\n", good, u, os.Getenv("AWS_ACCESS_KEY_ID"))))
	acme := makeKey(t, s, "acme", "execute")
	_, d, text := s.bring(t, acme, `{"connection":"file","table":"sales"}`)
	if d.ID == "" {
		t.Fatal(text)
	}
	_, content := call(t, http.DefaultClient, "GET", s.tcp+"/v1/datasets/"+d.ID+"/content", "", "X-API-Key", acme)
	client, err := minio.New(u.Query().Get("endpoint"), &minio.Options{Creds: credentials.NewEnvAWS(), Region: u.Query().Get("region")})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range map[string]string{"/sales/1.parquet": content, "/sales/2.parquet": content, "/bad/1.parquet": content, "/bad/2.parquet": "PAR1 and no more"} {
		if _, err := client.PutObject(t.Context(), u.Host, own+key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if status, d, text := s.bring(t, acme, `{"connection":"lake","prefix":"sales"}`); status != 201 || d.Name != "sales.parquet" || d.Rows != 4 || d.Columns[0].DType != "str" {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := s.bring(t, acme, `{"connection":"lake","prefix":"bad"}`); status != 422 {
		t.Errorf("%d %s", status, text)
	}
	if status, d, text := s.bring(t, acme, `{"connection":"lake","key":"sales/1.parquet","name":"one"}`); status != 201 || d.Name != "one" || d.Rows != 2 {
		t.Errorf("%d %s", status, text)
	}
}
