package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/cellwall/cellwall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const hidden = "hunter2-correct-horse"

func TestM51_AConnectionThatCannotBeMeantIsRefusedWithoutItsPassword(t *testing.T) {
	for name, c := range map[string]Connection{
		"Upper":   {URL: "sqlite:/x.db"},
		"scheme":  {URL: "mysql://a@b/c"},
		"none":    {},
		"inline":  {URL: "postgres://reader:" + hidden + "@db/shop"},
		"odd":     {URL: "postgres://reader:" + hidden + "@db:port/shop"},
		"both":    {URL: "postgres://reader@db/shop", SecretFile: "/x", SecretEnv: "X"},
		"path":    {URL: "postgres://reader@db/shop", SecretFile: "x"},
		"role":    {URL: "postgres://db/shop"},
		"db":      {URL: "postgres://reader@db"},
		"param":   {URL: "postgres://reader@db/shop?password=" + hidden},
		"options": {URL: "postgres://reader@db/shop?options=-c%20x"},
		"prefer":  {URL: "postgres://reader@db/shop?sslmode=prefer"},
		"host":    {URL: "sqlite://host/x.db"},
		"rel":     {URL: "sqlite:x.db"},
		"attach":  {URL: "sqlite:/x.db?mode=rwc"},
		"secret":  {URL: "sqlite:/x.db", SecretEnv: "X"},
		"bucket":  {URL: "s3:///x"},
		"key":     {URL: "s3://key:" + hidden + "@bucket"},
		"alone":   {URL: "s3://bucket", User: "key"},
		"rows":    {URL: "sqlite:/x.db", Rows: -1},
	} {
		_, err := Open("", map[string]Connection{name: c})
		if err == nil || strings.Contains(err.Error(), hidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := Open("", map[string]Connection{
		"shop": {URL: "postgres://reader@db/shop", SecretEnv: "X"}, "file": {URL: "sqlite:/srv/x.db"}, "lake": {URL: "s3://bucket/a/b?endpoint=localhost:1&region=r&tls=false"},
	})
	if err != nil || fmt.Sprint(b.Names()) != "[file lake shop]" {
		t.Fatal(b, err)
	}
	if got := b.all["shop"].url.Query().Get("sslmode"); got != "verify-full" {
		t.Errorf("sslmode is %q where nobody said anything", got)
	}
}

func TestM51_ASecretThatOthersCanReadIsNone(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, mode os.FileMode, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]bool{
		file("own", 0o600, hidden+"\n"): true, file("read-only", 0o400, hidden): true, file("group", 0o640, hidden): false, file("world", 0o604, hidden): false,
		file("empty", 0o600, "\n"): false, file("long", 0o600, strings.Repeat("x", 5000)): false, dir: false, dir + "/none": false,
	} {
		s, err := readSecret(path)
		if (err == nil) != want || want && s.text != hidden || err != nil && strings.Contains(err.Error(), hidden) {
			t.Errorf("%s: %v", path, err)
		}
	}
	s := secret{hidden}
	raw, err := json.Marshal(map[string]any{"a": s, "b": &s})
	if text := fmt.Sprintf("%v %+v %#v %s %s", s, s, s, s, raw); err != nil || strings.Contains(text, hidden) {
		t.Errorf("it is printed: %s %v", text, err)
	}
}

func TestM51_AConnectionOfAnotherTenantIsNone(t *testing.T) {
	b, err := Open(t.TempDir(), map[string]Connection{"file": {URL: "sqlite:/nowhere.db"}})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, ask := range []Ask{{Connection: "file"}, {Connection: "other"}, {Connection: "file", Allowed: []string{"files", ""}}, {Connection: ""}} {
		ask.Table = "t"
		_, entry, err := b.Snapshot(t.Context(), ask)
		if cellwall.CodeOf(err) != cellwall.CodeNotFound || entry.Code != cellwall.CodeNotFound || entry.Connection != ask.Connection {
			t.Errorf("%+v: %v, %+v", ask, err, entry)
		}
		said = append(said, strings.ReplaceAll(err.Error(), ask.Connection, "x"))
	}
	if said[0] != said[1] {
		t.Errorf("whether there is one is told: %q and %q", said[0], said[1])
	}
	if _, _, err := b.Snapshot(t.Context(), Ask{Connection: "file", Allowed: []string{"file"}, Table: "t"}); cellwall.CodeOf(err) != cellwall.CodeSourceFailed || strings.Contains(err.Error(), "nowhere.db") {
		t.Error("control:", err)
	}
	for _, ask := range []Ask{{}, {Table: "t", Query: "q"}, {Key: "k"}, {Table: "t", Key: "k"}} {
		ask.Connection, ask.Allowed = "file", []string{"file"}
		if _, _, err := b.Snapshot(t.Context(), ask); cellwall.CodeOf(err) != cellwall.CodeBadRequest {
			t.Errorf("%+v: %v", ask, err)
		}
	}
}
