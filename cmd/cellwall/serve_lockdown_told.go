package main

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// The kinds of what tenants hear of lockdowns.
const (
	kindLockdownBegun = "lockdown.begun"
	kindLockdownEnded = "lockdown.ended"
)

// noticeFile says in the folder of a lockdown who was told of it, and when.
const noticeFile = "told.json"

// incidentTime is how long after a lockdown a service that starts still tells.
const incidentTime = 7 * 24 * time.Hour

// noticed is what noticeFile holds.
type noticed struct {
	Tenants []string   `json:"tenants"`
	Begun   time.Time  `json:"begun"`
	Ended   *time.Time `json:"ended,omitempty"`
}

// lockdownTold is what an event says of a lockdown.
type lockdownTold struct {
	At      time.Time `json:"at"`
	Records int       `json:"records"` // of the tenant, that were looked through
	Suspect int       `json:"suspect"` // of them
	Frozen  int       `json:"frozen_sessions"`
}

// tellIncidents tells of lockdowns that nobody was told of yet, whether they began
// and ended while this service ran or not. An event is told once, however often
// this is tried. The caller holds s.lockdown.
func (s *service) tellIncidents(ctx context.Context) {
	reports, err := filepath.Glob(s.config.inState("incidents/*"))
	if err != nil {
		return
	}
	for _, report := range reports {
		if err := s.tellIncident(ctx, report); err != nil {
			s.log.Error("tell of a lockdown", "report", report, "error", err)
		}
	}
}

func (s *service) tellIncident(ctx context.Context, report string) error {
	var l lockdown
	if _, err := os.Stat(filepath.Join(report, postMortemFile)); err != nil {
		return nil // its evidence is not complete: somebody is at it
	}
	if found, err := readEvidence(report, "lockdown.json", &l); !found || err != nil || time.Since(l.At) > incidentTime {
		return err
	}
	var told noticed
	found, err := readEvidence(report, noticeFile, &told)
	if err == nil && !found {
		told, err = s.tellBegun(ctx, l, report)
	}
	if err != nil || told.Ended != nil {
		return err
	}
	var end lockdown
	if found, err := readEvidence(report, "unlock.json", &end); !found || err != nil {
		return err
	}
	for _, tenant := range told.Tenants {
		if err := s.tellOf(ctx, l, tenant, kindLockdownEnded, lockdownTold{At: end.At}); err != nil {
			return err
		}
	}
	now := time.Now().UTC()
	told.Ended = &now
	return writeEvidence(report, noticeFile, told)
}

// tellBegun tells whom the evidence names, whose sessions were frozen, and the
// operator.
func (s *service) tellBegun(ctx context.Context, l lockdown, report string) (told noticed, err error) {
	var named []affected
	var live []metSession
	if _, err = readEvidence(report, "tenants.json", &named); err == nil {
		_, err = readEvidence(report, liveFile, &live)
	}
	if err != nil {
		return told, err
	}
	say := map[string]lockdownTold{cellwall.LocalTenant: {}}
	for _, a := range named {
		say[a.Tenant] = lockdownTold{Records: a.Records, Suspect: a.Suspect}
	}
	for _, one := range live {
		of := say[one.Tenant]
		of.Frozen++
		say[one.Tenant] = of
	}
	for tenant, of := range say {
		of.At = l.At
		if err := s.tellOf(ctx, l, tenant, kindLockdownBegun, of); err != nil {
			return told, err
		}
		told.Tenants = append(told.Tenants, tenant)
	}
	slices.Sort(told.Tenants)
	told.Begun = time.Now().UTC()
	return told, writeEvidence(report, noticeFile, told)
}

// tellOf has one tenant hear of a lockdown, once.
func (s *service) tellOf(ctx context.Context, l lockdown, tenant, kind string, what lockdownTold) error {
	h := happening(tenant, kind, what)
	sum := sha256.Sum256([]byte(kind + " " + tenant + " " + l.At.Format(time.RFC3339Nano)))
	h.ID = cellwall.PrefixEvent + "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:26]
	if _, err := s.kept.AppendEvent(ctx, h); err != nil {
		return err
	}
	s.bus.Kept(tenant)
	return nil
}

// readEvidence reads a file of a lockdown's folder, when it is there.
func readEvidence(report, name string, into any) (found bool, err error) {
	raw, err := os.ReadFile(filepath.Join(report, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	return err == nil, err
}
