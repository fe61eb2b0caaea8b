package main

import (
	"errors"
	"os"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestLockdown_AVerbThatRunsAlreadyBeginsNothingNew(t *testing.T) {
	c := &config{StateDir: t.TempDir()}
	if err := fakeState(c.StateDir); err != nil {
		t.Fatal(err)
	}
	p := newProgram()
	p.backends = map[string]makeBackend{defaultBackend: func(backendOptions) (cellwall.Backend, error) { return scripted{usable: true}, nil }}
	h, err := p.openHouse(c, houseOptions{backend: defaultBackend, environment: defaultEnvironment})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	run := func(own bool) error {
		_, err := h.controller.Run(t.Context(), cellwall.Request{Code: "out x", Own: own})
		return err
	}
	if err := errors.Join(run(false), run(true)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.lockdownFile(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, own := range []bool{false, true} {
		if err := run(own); cellwall.CodeOf(err) != cellwall.CodeLockedDown || exitOf(err) != exitRefused {
			t.Errorf("own %v: %v", own, err)
		}
	}
}
