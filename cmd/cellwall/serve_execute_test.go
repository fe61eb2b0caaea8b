package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
)

// The section of the surface on POST /execute, line by line, and what holds it:
//
//	X-API-Key, 401 before the body, the sample key       TestExecute_KeyFirst
//	ranges, 422, unknown fields, names of input files    TestExecute_Ranges
//	defaults, mem_limit, the ceiling of the tenant       TestExecute_Defaults, TestExecute_TheCeilingCapsEveryLimit (api)
//	exactly six fields, failing code, CJK                TestExecute_Answers
//	408 within n + 5 s                                   TestExecute_Timeout
//	output_files: text, data:, twins of a base name      TestExecute_Files
//	checks, 400 and their words                          TestExecute_Checks
//	uid, capabilities, root, /tmp, network, processes    TestExecute_Inside
//	one execution, also with files                       TestExecute_WithFilesIsOneExecution

// executed is what POST /execute answers when the code ran.
type executed struct {
	TaskID        string  `json:"task_id"`
	Stdout        string  `json:"stdout"`
	Stderr        string  `json:"stderr"`
	ExitCode      int     `json:"exit_code"`
	ExecutionTime float64 `json:"execution_time"`
	OutputFiles   map[string]string
}

// execute sends a body, and returns the answer, which has to have this status.
func (h *here) execute(status int, body map[string]any) (answered, executed) {
	h.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	got := h.must(status, "e2b_aa", "POST", "/execute", string(raw))
	var e executed
	if status == http.StatusOK {
		got.json(h.t, &e)
		var files struct {
			Files map[string]string `json:"output_files"`
		}
		got.json(h.t, &files)
		e.OutputFiles = files.Files
	}
	return got, e
}

// endless is a body that nobody should read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 8<<20 {
		return 0, errors.New("the body was read")
	}
	e.read += len(p)
	return len(p), nil
}

// "Header X-API-Key; missing or wrong → 401, before the body is looked at. The
// article's sample key must never work."
func TestExecute_KeyFirst(t *testing.T) {
	h := serveHere(t)
	for _, key := range []string{"", "wrong", "dev-secret-key-2024", "your-secret-api-key", "your-api-key", "sk-123456", "secret", "test-key", "e2b_" + strings.Repeat("0", 40)} {
		body := &endless{}
		req, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/execute", io.NopCloser(body))
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			req.Header.Set("X-API-Key", key)
		}
		res, err := h.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 401 || strings.TrimSpace(string(text)) != `{"detail":"Invalid API Key"}` || res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("key %q: %d %s", key, res.StatusCode, text)
		}
	}
}

// "code 1–100,000 characters; timeout whole seconds 1–300, default 30 (null =
// default); cpu_limit 0.1–8.0; mem_limit "1G"; … Out of range → 422. Unknown
// fields are ignored. Names in input_files with .. or absolute → 422."
func TestExecute_Ranges(t *testing.T) {
	h := serveHere(t)
	long := "#" + strings.Repeat("中", 99_999)
	for _, test := range []struct {
		name string
		body map[string]any
		want int
	}{
		{"least", map[string]any{"code": "1"}, 200},
		{"longest, in CJK", map[string]any{"code": long}, 200},
		{"too long", map[string]any{"code": long + "中"}, 422},
		{"empty", map[string]any{"code": ""}, 422},
		{"no code", map[string]any{}, 422},
		{"code is no text", map[string]any{"code": 1}, 422},
		{"null code", map[string]any{"code": nil}, 422},
		{"all bounds from below", map[string]any{"code": "1", "timeout": 1, "cpu_limit": 0.1, "mem_limit": "64m"}, 200},
		{"all bounds from above", map[string]any{"code": "1", "timeout": 300, "cpu_limit": 8.0, "mem_limit": "1G"}, 200},
		{"null is the default", map[string]any{"code": "1", "timeout": nil, "cpu_limit": nil, "mem_limit": nil, "input_files": nil, "return_output_files": nil}, 200},
		{"unknown fields", map[string]any{"code": "1", "user": map[string]any{"x": 1}, "language": "python"}, 200},
		{"timeout 0", map[string]any{"code": "1", "timeout": 0}, 422},
		{"timeout 301", map[string]any{"code": "1", "timeout": 301}, 422},
		{"timeout 1.5", map[string]any{"code": "1", "timeout": 1.5}, 422},
		{"timeout as text", map[string]any{"code": "1", "timeout": "x"}, 422},
		{"cpu_limit 0.05", map[string]any{"code": "1", "cpu_limit": 0.05}, 422},
		{"cpu_limit 8.1", map[string]any{"code": "1", "cpu_limit": 8.1}, 422},
		{"mem_limit without sense", map[string]any{"code": "1", "mem_limit": "lots"}, 422},
		{"mem_limit of a byte", map[string]any{"code": "1", "mem_limit": "1b"}, 422},
		{"a file above", map[string]any{"code": "1", "input_files": map[string]string{"../x": ""}}, 422},
		{"a file far above", map[string]any{"code": "1", "input_files": map[string]string{"a/../../x": ""}}, 422},
		{"an absolute file", map[string]any{"code": "1", "input_files": map[string]string{"/etc/x": ""}}, 422},
		{"a file that is no text", map[string]any{"code": "1", "input_files": map[string]any{"x": 1}}, 422},
	} {
		raw, err := json.Marshal(test.body)
		if err != nil {
			t.Fatal(err)
		}
		got := h.send("e2b_aa", "POST", "/execute", string(raw))
		if got.StatusCode != test.want {
			t.Errorf("%s: %d %.300s, want %d", test.name, got.StatusCode, got.body, test.want)
		}
		var faults struct{ Detail []struct{ Loc []string } }
		if test.want == 422 && (json.Unmarshal([]byte(got.body), &faults) != nil || len(faults.Detail) == 0 || faults.Detail[0].Loc[0] != "body") {
			t.Errorf("%s: %.300s", test.name, got.body)
		}
	}
	for _, body := range []string{"", "{", "[]", "null", `"x"`, "{\"code\":\"\xff\"}"} {
		if got := h.send("e2b_aa", "POST", "/execute", body); got.StatusCode != 422 {
			t.Errorf("%q: %d %s", body, got.StatusCode, got.body)
		}
	}
}

var uuidFour = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// "200 has exactly task_id (UUID4), stdout, stderr, exit_code, execution_time,
// output_files (null unless asked for …)". "Failing code: 200 with exit_code 1 and
// the traceback in stderr."
func TestExecute_Answers(t *testing.T) {
	h := serveHere(t)
	got, e := h.execute(200, map[string]any{"code": "import math\nprint('结果', math.sqrt(4))"})
	var fields map[string]json.RawMessage
	got.json(t, &fields)
	if keys := slices.Sorted(maps.Keys(fields)); !slices.Equal(keys, []string{"execution_time", "exit_code", "output_files", "stderr", "stdout", "task_id"}) {
		t.Errorf("fields %q", keys)
	}
	if !uuidFour.MatchString(e.TaskID) || e.Stdout != "结果 2.0\n" || e.Stderr != "" || e.ExitCode != 0 || e.ExecutionTime <= 0 || e.ExecutionTime > 30 || string(fields["output_files"]) != "null" {
		t.Errorf("%s", got.body)
	}
	// 计算前100个质数的和: what the article asks of it.
	const sum = "n, found = 2, []\nwhile len(found) < 100:\n    if all(n % p for p in found):\n        found.append(n)\n    n += 1\nprint(sum(found))"
	if _, e = h.execute(200, map[string]any{"code": sum, "timeout": 30, "mem_limit": "1G"}); e.Stdout != "24133\n" || e.ExitCode != 0 {
		t.Errorf("the sum of the first 100 primes: %+v", e)
	}
	_, e = h.execute(200, map[string]any{"code": "print('vor')\n{}['键']"})
	if e.ExitCode != 1 || e.Stdout != "vor\n" || !strings.Contains(e.Stderr, "Traceback (most recent call last)") || !strings.HasSuffix(e.Stderr, "KeyError: '键'\n") {
		t.Errorf("%+v", e)
	}
	if _, e = h.execute(200, map[string]any{"code": "raise SystemExit(7)"}); e.ExitCode != 7 || e.Stderr != "" {
		t.Errorf("%+v", e)
	}
	if _, e = h.execute(200, map[string]any{"code": "raise SystemExit('完')"}); e.ExitCode != 1 || e.Stderr != "完\n" {
		t.Errorf("%+v", e)
	}
}

// "Timeout: 408, detail Execution timeout after {n}s, answered within n + 5 s." "A
// tenant's ceiling caps all of them."
func TestExecute_Timeout(t *testing.T) {
	h := serveHere(t)
	h.execute(200, map[string]any{"code": "1"}) // warm
	for _, files := range []map[string]string{nil, {"a": "b"}} {
		began := time.Now()
		got, _ := h.execute(408, map[string]any{"code": "while True: pass", "timeout": 2, "input_files": files})
		if strings.TrimSpace(got.body) != `{"detail":"Execution timeout after 2s"}` || time.Since(began) > 7*time.Second {
			t.Errorf("%s after %v", got.body, time.Since(began))
		}
	}
	h.keys.terms["tnt_a"] = cellwall.Terms{Ceiling: cellwall.Limits{Timeout: time.Second, MemoryBytes: 256 * cellwall.MiB, CPUs: 0.5}}
	if got, _ := h.execute(408, map[string]any{"code": "while True: pass", "timeout": 300, "cpu_limit": 8, "mem_limit": "8G"}); !strings.Contains(got.body, "after 1s") {
		t.Errorf("%s", got.body)
	}
	h.keys.terms["tnt_a"] = cellwall.Terms{Ceiling: cellwall.Limits{MemoryBytes: 256 * cellwall.MiB}}
	if _, e := h.execute(200, map[string]any{"code": "x = bytearray(400_000_000)"}); e.ExitCode == 0 {
		t.Errorf("more memory than the ceiling: %+v", e)
	}
}

// "output_files: file name → text; a binary file is base64 with a data: prefix,
// never damaged text; two files of one base name keep their paths."
func TestExecute_Files(t *testing.T) {
	h := serveHere(t)
	_, e := h.execute(200, map[string]any{
		"code": `from pathlib import Path
print(open('数据/a.csv').read())
Path('out').mkdir(); Path('other').mkdir()
Path('out/same.txt').write_text('一')
Path('other/same.txt').write_text('二')
Path('out/alone.txt').write_text('单')
Path('bin.dat').write_bytes(bytes(range(256)))
Path('changed.txt').write_text('new')
`,
		"input_files": map[string]string{"数据/a.csv": "列\n1\n", "changed.txt": "old", "kept.txt": "kept"}, "return_output_files": true,
	})
	whole := make([]byte, 256)
	for i := range whole {
		whole[i] = byte(i)
	}
	want := map[string]string{
		"out/same.txt": "一", "other/same.txt": "二", "alone.txt": "单", "changed.txt": "new",
		"bin.dat": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(whole),
	}
	if e.ExitCode != 0 || e.Stdout != "列\n1\n\n" || !maps.Equal(e.OutputFiles, want) {
		t.Errorf("%+v", e)
	}
	if got, e := h.execute(200, map[string]any{"code": "1", "return_output_files": true}); e.OutputFiles == nil || len(e.OutputFiles) != 0 {
		t.Errorf("nothing was left: %s", got.body)
	}
}

// "Checks on this route are the article's: refused code answers 400 with detail
// Execution failed: Sensitive module {module} is forbidden or Execution failed:
// Invalid syntax: {message}."
func TestExecute_Checks(t *testing.T) {
	h := serveHere(t)
	for code, want := range map[string]string{
		"import os\nprint(1)":    "Execution failed: Sensitive module os is forbidden",
		"from os import path":    "Execution failed: Sensitive module os is forbidden",
		"print('中文'":             "Execution failed: Invalid syntax: ",
		"import subprocess as s": "Execution failed: Sensitive module subprocess is forbidden",
	} {
		for _, files := range []map[string]string{nil, {"a": "b"}} {
			got, _ := h.execute(400, map[string]any{"code": code, "input_files": files})
			var said struct{ Detail string }
			got.json(t, &said)
			if !strings.HasPrefix(said.Detail, want) || !strings.HasSuffix(want, ": ") && said.Detail != want {
				t.Errorf("%q: %s, want %s", code, got.body, want)
			}
		}
	}
	h.execute(200, map[string]any{"code": "x = 'import os'\nimport json, pandas"})
}

// "Inside: uid 1000, no capabilities, read-only root, writable /tmp, no network,
// 100 processes."
func TestExecute_Inside(t *testing.T) {
	h := serveHere(t)
	_, e := h.execute(200, map[string]any{"code": `
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
print(status['Uid'].split()[0], int(status['CapEff'], 16), int(status['CapPrm'], 16))
open('/tmp/x', 'w').write('ok')
for place in ('/x', '/usr/x', '/etc/x', '/home/x'):
    try:
        open(place, 'w')
        print('wrote', place)
    except OSError:
        pass
import threading
hold, n = threading.Event(), 0
try:
    while n < 300:
        threading.Thread(target=hold.wait, daemon=True).start()
        n += 1
except RuntimeError:
    pass
hold.set()
print(60 < n < 100)
import urllib.request
try:
    urllib.request.urlopen('http://1.1.1.1', timeout=3)
    print('network')
except OSError:
    print('no network')
`})
	if want := "1000 0 0\nTrue\nno network\n"; e.Stdout != want || e.ExitCode != 0 {
		t.Errorf("%q, want %q; %s", e.Stdout, want, e.Stderr)
	}
}
