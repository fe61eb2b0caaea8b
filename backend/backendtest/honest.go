package backendtest

import (
	"testing"

	"github.com/cellwall/cellwall"
)

// honestCode is an ordinary analysis that also describes the sandbox it found:
// whatever another run left, or does at this moment, shows as a difference.
const honestCode = `import os, signal, sys, threading
import numpy as np, pandas as pd
t = pd.DataFrame({"k": list("abcd") * 250, "v": np.arange(1000)})
print("sums", t.groupby("k")["v"].sum().to_dict())
print("files", sorted(os.listdir("/tmp")), sorted(os.listdir("/dev/shm")), sorted(os.listdir(".")))
print("input", sorted(os.listdir("/workspace/input")))
print("state", os.getcwd(), oct(os.umask(0o022)), os.getuid(), threading.active_count())
print("environment", sorted(os.environ))
print("path", sys.path, len(sys.argv))
print("signals", sorted(s.name for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])))
print("handlers", [signal.getsignal(s) in (signal.SIG_DFL, signal.default_int_handler) for s in (2, 10, 15)])
print("descriptors", sorted(int(n) for n in os.listdir("/proc/self/fd"))[:3])
print("processes", len([n for n in os.listdir("/proc") if n.isdigit()]))
print("options", pd.get_option("display.max_rows"), np.get_printoptions()["precision"])
open("mine.txt", "w").write("mine")
`

// reference is what honestCode prints in a sandbox beside which nothing
// happened.
func reference(t *testing.T, s Setup) string {
	t.Helper()
	r := execute(t, s, cellwall.Request{Code: honestCode}, nil)
	if r.Status != cellwall.StatusOK {
		t.Fatalf("the honest program ended as %s (%s): %s", r.Status, r.Cause, r.Stderr.Text)
	}
	return r.Stdout.Text
}

// honest demands that an ordinary run ends right and finds nothing of others.
func honest(t *testing.T, s Setup, who, want string) {
	t.Helper()
	r, err := tryExecute(t.Context(), s, cellwall.Request{Code: honestCode}, nil)
	switch {
	case err != nil:
		t.Errorf("%s: %v", who, err)
	case r.Status != cellwall.StatusOK:
		t.Errorf("%s ended as %s (%s): %s", who, r.Status, r.Cause, r.Stderr.Text)
	case r.Stdout.Text != want:
		t.Errorf("%s printed\n%s\nwant\n%s", who, r.Stdout.Text, want)
	case len(r.Artifacts) != 1 || r.Artifacts[0].Name != "mine.txt" || len(r.SkippedArtifacts) != 0:
		t.Errorf("%s left artifacts %v, skipped %v", who, r.Artifacts, r.SkippedArtifacts)
	}
}
