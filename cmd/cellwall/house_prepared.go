package main

import (
	"log/slog"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/internal/cleanup"
	"github.com/cellwall/cellwall/prepared"
)

// hostShare is the part of the host's memory that prepared data may take: 1/8.
const hostShare = 8

// prepare wires the room that keeps parsed datasets, where the backend can. What
// is named on a command line is parsed once anyway, in its one sandbox, and has no
// hash beforehand: it goes past this room. Stored datasets do not.
func (h *house) prepare(backend string, logger *slog.Logger, undo *cleanup.Stack) map[string]controller.Prepared {
	templater, ok := h.backend.(cellwall.Templater)
	if !ok {
		return nil
	}
	room := prepared.DefaultBytes
	if host, err := sumKB("/proc/meminfo", "MemTotal:"); err == nil {
		room = min(room, host<<10/hostShare)
	}
	h.prepared = prepared.New(prepared.Options{
		Backend: templater, Logger: logger, Bytes: room, TenantBytes: min(prepared.DefaultTenantBytes, room),
	})
	undo.Add(h.prepared.Close)
	return map[string]controller.Prepared{backend: h.prepared}
}
