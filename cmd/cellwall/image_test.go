package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwall/cellwall/internal/testkit"
)

// described is a descriptor of an image layout.
type described struct {
	Digest string
	Size   int64
}

// imageBlob reads one, and holds it to its descriptor.
func imageBlob(t *testing.T, layout string, d described) []byte {
	t.Helper()
	sum, _ := strings.CutPrefix(d.Digest, "sha256:")
	raw, err := os.ReadFile(filepath.Join(layout, "blobs/sha256", sum))
	if err != nil {
		t.Fatal(err)
	}
	if got := sha256.Sum256(raw); hex.EncodeToString(got[:]) != sum || int64(len(raw)) != d.Size {
		t.Fatalf("%s is %x, %d bytes", d.Digest, got, len(raw))
	}
	return raw
}

// unpackImage makes a root of the image's layers.
func unpackImage(t *testing.T, layout string) string {
	t.Helper()
	var index struct{ Manifests []described }
	var manifest struct {
		Config described
		Layers []described
	}
	var config struct {
		Config struct{ Entrypoint, Cmd []string }
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	raw, err := os.ReadFile(filepath.Join(layout, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		raw  func() []byte
		into any
	}{
		{func() []byte { return raw }, &index},
		{func() []byte { return imageBlob(t, layout, index.Manifests[0]) }, &manifest},
		{func() []byte { return imageBlob(t, layout, manifest.Config) }, &config},
	} {
		if err := json.Unmarshal(step.raw(), step.into); err != nil {
			t.Fatal(err)
		}
	}
	if len(config.RootFS.DiffIDs) != len(manifest.Layers) || config.Config.Entrypoint[0] != "/usr/local/bin/cellwall" || config.Config.Cmd[0] != "serve" {
		t.Errorf("%+v of %+v", config, manifest)
	}
	root := shortDir(t)
	if err := os.Chmod(root, 0o755); err != nil { // a sandbox's user passes through
		t.Fatal(err)
	}
	for i, layer := range manifest.Layers {
		z, err := gzip.NewReader(bytes.NewReader(imageBlob(t, layout, layer)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		unpack := exec.Command("tar", "-x", "-p", "-C", root)
		unpack.Stdin = io.TeeReader(z, sum)
		if said, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); got != config.RootFS.DiffIDs[i] {
			t.Errorf("layer %d unpacks to %s, not %s", i, got, config.RootFS.DiffIDs[i])
		}
	}
	return root
}

// enter runs a program of the image as a container engine would: in namespaces of
// its own, with the image as its root. The host's environments lie in its state.
const enter = `mount --bind "$0" "$0"; cd "$0"; mount -t proc proc proc; mount --rbind /sys sys; mount --rbind /dev dev
mkdir -p var/lib/cellwall/environments old; mount --bind "$1" var/lib/cellwall/environments; shift
pivot_root . old; exec "$@"`

// The image is built of what its lock names, holds what its documents say, and runs
// code inside a whole wall.
func TestDeploy_TheImageRunsCode(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the image is built of 35 packages: set CELLWALL_TEST_ALL=1")
	}
	testkit.RequireRoot(t)
	built, err := builtState()
	if err != nil {
		t.Skipf("skip, proof: python-data-basic does not stand in the state directory: %v", err)
	}
	layout := filepath.Join(t.TempDir(), "image")
	said, err := exec.Command("python3", "../../scripts/image.py", layout).CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("skip, proof: %s", said)
	} else if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	root := unpackImage(t, layout)
	const program = "/usr/local/bin/cellwall"
	const trusts = "import ssl, sqlite3, lzma, ctypes; print(ssl.create_default_context().cert_store_stats()['x509_ca'] > 50)"
	for _, test := range []struct {
		says string
		args []string
	}{
		{"cellwall ", []string{program, "version"}},
		{`"usable": true`, []string{program, "doctor", "--json"}},
		{"42\n", []string{program, "run", "-c", "print(6 * 7)"}},
		{"True\n", []string{"/usr/bin/python3", "-c", trusts}},
	} {
		run := exec.Command("unshare", append([]string{"-m", "-p", "-f", "sh", "-ec", enter, root, filepath.Join(built, "environments")}, test.args...)...)
		run.Env = []string{"PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "CELLWALL_STATE_DIR=/var/lib/cellwall", "HOME=/root", "NO_COLOR=1"}
		said, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(said), test.says) {
			t.Errorf("%q: %v\n%s", test.args, err, said)
		}
	}
	for _, shell := range []string{"bin/sh", "usr/bin/sh", "usr/bin/apt", "usr/bin/dpkg"} {
		if _, err := os.Lstat(filepath.Join(root, shell)); err == nil {
			t.Errorf("the image has %s", shell)
		}
	}
}
