package main

import (
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/cmd/cellwall/load"
	"github.com/cellwall/cellwall/linux/probe"
	"github.com/cellwall/cellwall/pentest"
)

// The hidden verbs.
const (
	verbNativeWarden = "native-warden"
	verbProbeChild   = "probe-child"
	verbCanary       = "canary"
	verbBenchLoad    = "bench-load"
)

// self is the command line by which the binary starts itself.
func self(verb string) []string { return []string{"/proc/self/exe", verb} }

// hidden returns the verbs by which the binary starts itself as a child. They
// are looked up before anything else happens, take their arguments as they
// are, and return an exit status. They are no part of the public surface.
func hidden() map[string]func(args []string) int {
	return map[string]func(args []string) int{
		verbNativeWarden: func([]string) int { return native.Warden() },
		verbProbeChild:   probe.Child,
		verbBenchLoad:    load.Child,
		verbCanary:       func([]string) int { return pentest.ProcessMain() },
	}
}
