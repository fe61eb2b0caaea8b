package environment

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

var hexSum = strings.Repeat("0f", 32)

func TestM29_LocksSurviveARoundTrip(t *testing.T) {
	debs := []Deb{
		{Name: "libc6", Version: "2.41-12+deb13u5", SHA256: hexSum, Size: 12, Filename: "pool/main/g/glibc/libc6_2.41-12+deb13u5_amd64.deb"},
		{Name: "zlib1g", Version: "1:1.3.dfsg+really1.3.1-1", SHA256: hexSum, Size: 1, Filename: "pool/main/z/zlib/zlib1g_1.3_amd64.deb"},
	}
	got, err := ParseDebLock(FormatDebLock(debs))
	must(t, err)
	if !reflect.DeepEqual(got, debs) {
		t.Errorf("got %+v, want %+v", got, debs)
	}
	reqs := []Requirement{{"numpy", "2.5.5", hexSum}, {"et-xmlfile", "2.0.0", hexSum}}
	gotReqs, err := ParsePythonLock(FormatPythonLock(reqs))
	must(t, err)
	if want := []Requirement{reqs[1], reqs[0]}; !reflect.DeepEqual(gotReqs, want) {
		t.Errorf("got %+v, want them sorted: %+v", gotReqs, want)
	}
}

func TestDebLockRefusesWhatCouldLeaveTheMirrorOrTheCache(t *testing.T) {
	good := "libc6 2.41 " + hexSum + " 5 pool/libc6.deb"
	if _, err := ParseDebLock([]byte("# comment\n\n" + good + "\n")); err != nil {
		t.Fatalf("the control line is refused: %v", err)
	}
	for name, line := range map[string]string{
		"four fields":      "libc6 2.41 " + hexSum + " pool/libc6.deb",
		"name of a path":   "../libc6 2.41 " + hexSum + " 5 pool/libc6.deb",
		"option as a name": "-o 2.41 " + hexSum + " 5 pool/libc6.deb",
		"short hash":       "libc6 2.41 0f0f 5 pool/libc6.deb",
		"hash of a path":   "libc6 2.41 ../../" + hexSum[6:] + " 5 pool/libc6.deb",
		"size zero":        "libc6 2.41 " + hexSum + " 0 pool/libc6.deb",
		"size in words":    "libc6 2.41 " + hexSum + " five pool/libc6.deb",
		"climbing":         "libc6 2.41 " + hexSum + " 5 pool/../../libc6.deb",
		"absolute":         "libc6 2.41 " + hexSum + " 5 /pool/libc6.deb",
		"no deb":           "libc6 2.41 " + hexSum + " 5 pool/libc6.tar",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseDebLock([]byte(good + "\n" + line + "\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("error is %v, want one about line 2", err)
			}
		})
	}
}

func TestPythonLockWantsOneHashEach(t *testing.T) {
	good := "numpy==2.5.5 \\\n    --hash=sha256:" + hexSum + "\n"
	if _, err := ParsePythonLock([]byte(good)); err != nil {
		t.Fatalf("the control line is refused: %v", err)
	}
	for name, text := range map[string]string{
		"no hash":      "numpy==2.5.5\n",
		"two hashes":   "numpy==2.5.5 --hash=sha256:" + hexSum + " --hash=sha256:" + hexSum + "\n",
		"range":        "numpy>=2 --hash=sha256:" + hexSum + "\n",
		"option":       "--index-url==x --hash=sha256:" + hexSum + "\n",
		"address":      "numpy @ file:///x --hash=sha256:" + hexSum + "\n",
		"other casing": "NumPy==2.5.5 --hash=sha256:" + hexSum + "\n",
		"other hash":   "numpy==2.5.5 --hash=md5:" + hexSum + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if reqs, err := ParsePythonLock([]byte(text)); err == nil {
				t.Errorf("it was read as %+v", reqs)
			}
		})
	}
}

func FuzzLocks(f *testing.F) {
	f.Add([]byte("libc6 2.41 " + hexSum + " 5 pool/libc6.deb\n"))
	f.Add([]byte("numpy==2.5.5 \\\n    --hash=sha256:" + hexSum + "\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if debs, err := ParseDebLock(raw); err == nil {
			again, err := ParseDebLock(FormatDebLock(debs))
			if err != nil || !bytes.Equal(FormatDebLock(again), FormatDebLock(debs)) {
				t.Errorf("a lock that was read does not survive: %v", err)
			}
		}
		if reqs, err := ParsePythonLock(raw); err == nil {
			again, err := ParsePythonLock(FormatPythonLock(reqs))
			if err != nil || !bytes.Equal(FormatPythonLock(again), FormatPythonLock(reqs)) {
				t.Errorf("a lock that was read does not survive: %v", err)
			}
		}
	})
}
