package native_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/internal/footprint"
	"github.com/cellwall/cellwall/internal/testkit"
)

// hoard writes frames of its own into the driver's channel: as many bytes as a
// run may send, in documents that become much more in the controller's memory.
const hoard = `
import os, struct
def send(kind, payload, times):
    frame = struct.pack(">IB", len(payload), ord(kind)) + payload
    for _ in range(times):
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(3, rest):]
def keys(n):
    return b",".join(b'"%x":1' % i for i in range(n))
def texts(n):
    return b",".join(b'"%x":""' % i for i in range(n))
`

// What one run may cost the controller: what it keeps until the answer is the
// values of a run; what it takes meanwhile is a frame of 16 MiB several times
// over, in the buffers of reader and decoder.
const (
	mostHeld  = 40 << 20
	mostGrown = 192 << 20 * overhead
)

// Whatever a run sends, what the controller holds of it is bounded: what it
// keeps until the answer, and the peak while it decodes.
func TestD94_WhatARunMakesTheControllerHoldIsBounded(t *testing.T) {
	testkit.RequireRoot(t)
	s := backendtest.Rooms(t, open(t), basic(t), 0)
	execute(t, s, "print('warm')")
	fast := []string{"large values", "tables of many columns", "errors"}
	for _, c := range []struct{ name, code string }{
		{"values of many types", `send("V", b'{"is_main_result":false,"data":{' + keys(1_200_000) + b'}}', 4)`},
		{"many values of many types", `send("V", b'{"is_main_result":false,"data":{' + keys(1000) + b'}}', 5000)`},
		{"many values of a few types", `send("V", b'{"is_main_result":false,"data":{' + keys(60) + b'}}', 9000)`},
		{"large values", `send("V", b'{"is_main_result":false,"data":{"text/plain":"' + b'x' * (15 << 20) + b'"}}', 3)`},
		{"notices of many arguments", `send("N", b'{"code":"x","args":{' + texts(180_000) + b'}}', 30)`},
		{"notices of long arguments", `send("N", b'{"code":"x","args":{"a":"' + b'x' * 2_000_000 + b'"}}', 3)`},
		{"many tables", `send("T", b'[' + b','.join([b'{}'] * 690_000) + b']', 3)`},
		{"tables of many columns", `send("T", b'[{"columns":[' + b','.join([b'""'] * 690_000) + b']}]', 3)`},
		{"many datasets", `send("D", b'[' + b','.join([b'{}'] * 690_000) + b']', 3)`},
		{"datasets of many columns", `send("D", b'[{"columns":[' + b','.join([b'{}'] * 690_000) + b']}]', 3)`},
		{"errors", `send("E", b'{"type":"x","message":"' + b'x' * 2_000_000 + b'"}', 3)`},
	} {
		if !testkit.Long() && !slices.Contains(fast, c.name) {
			t.Logf("left to the long suite: %s", c.name)
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			peak := watchPeak(t)
			r := execute(t, s, hoard+c.code)
			grown := peak()
			held := heap() - before
			t.Logf("%s (%s): held %d KiB, peak %d KiB", r.Status, r.Cause, held>>10, grown>>10)
			if held > mostHeld || grown > mostGrown {
				t.Errorf("the controller held %d KiB of it and grew by %d KiB", held>>10, grown>>10)
			}
			runtime.KeepAlive(r)
		})
	}
}

func execute(t *testing.T, s backendtest.Setup, code string) *cellwall.Result {
	t.Helper()
	r, err := s.Execute(t.Context(), cellwall.Request{
		Identity: cellwall.Identity{Tenant: "hoard"}, Code: code, Environment: s.Environment.Name,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// heap is what lives once the collector has had its say.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watchPeak returns how much this process has grown at most since.
func watchPeak(t *testing.T) func() int64 {
	t.Helper()
	before, peak, err := footprint.Watch()
	if err != nil {
		t.Fatal(err)
	}
	return func() int64 {
		most, err := peak()
		if err != nil {
			t.Fatal(err)
		}
		return most - before
	}
}
