package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
)

func TestM35_OldRecordsGoAndTheChainStaysWhole(t *testing.T) {
	state := shortDir(t)
	if err := fakeState(state); err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(state, "records")
	log, err := audit.Open(records)
	if err != nil {
		t.Fatal(err)
	}
	old, kept := time.Now().AddDate(0, 0, -100), time.Now().AddDate(0, 0, -60)
	for _, at := range []time.Time{old, old, kept} {
		if err := log.Append(at, map[string]string{"id": cellwall.NewID("exec")}); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	dayOf := func(at time.Time) string { return filepath.Join(records, at.UTC().Format(time.DateOnly)+".jsonl") }
	s := serveIn(t, "cellwall-fake", state).ready() // keeps 90 days
	s.await("old records stay", func() bool { _, err := os.Stat(dayOf(old)); return errors.Is(err, fs.ErrNotExist) })
	if _, err := os.Stat(dayOf(kept)); err != nil {
		t.Errorf("records of 60 days ago: %v", err)
	}
	if status, text := call(t, s.local(), "POST", "http://local/v1/executions", execution("out x")); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	s.end(syscall.SIGTERM)
	key, err := (&config{StateDir: state}).signingKey()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := audit.Verify(records, audit.VerifyOptions{Key: key.Public()}); err != nil || !r.OK() {
		t.Errorf("%+v, %v", r, err)
	}
}

// The terms of a tenant that only the settings know hold for what is kept, too.
func TestM42_WhatATenantHasIsKeptAsItsTermsSay(t *testing.T) {
	file := settingsFile(t, "[tenants.short]\nretention = \"1s\"\n[tenants.long]\n")
	s := fakeService(t, "--config", file)
	run := func(key string) string {
		_, _, text := s.ask(key, "POST", "/v1/executions", execution("out x"))
		return s.result(text).ID
	}
	short, long := makeKey(t, s, "short", "execute"), makeKey(t, s, "long", "execute")
	gone, stays := run(short), run(long)
	s.end(syscall.SIGTERM)
	time.Sleep(time.Second)
	next := serveIn(t, "cellwall-fake", s.state, "--config", file).ready()
	next.await("it is kept longer than its tenant's terms say", func() bool {
		status, _, _ := next.ask(short, "GET", "/v1/executions/"+gone, "")
		return status == 404
	})
	if status, _, text := next.ask(long, "GET", "/v1/executions/"+stays, ""); status != 200 {
		t.Errorf("another tenant's: %d %s", status, text)
	}
}
