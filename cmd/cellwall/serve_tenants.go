package main

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

var tenantName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$`)

// tenants are those of the file, by name.
func (s *serveSettings) tenants() ([]cellwall.Tenant, error) {
	var list []cellwall.Tenant
	if err := checkTerms(s.Defaults); err != nil {
		return nil, usage("read configuration", fmt.Errorf("defaults: %w", err), "see docs/SERVICE.md for the keys")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tenants)) {
		set := s.Tenants[name]
		wrong := func(format string, args ...any) error {
			return usage("read configuration", fmt.Errorf("tenants."+name+": "+format, args...), "see docs/SERVICE.md for the keys")
		}
		if name != cellwall.LocalTenant && !tenantName.MatchString(name) {
			return nil, wrong("a name is of a-z, 0-9 and -, at most 64 characters")
		}
		state := cellwall.TenantState(set.State)
		switch state {
		case "":
			state = cellwall.TenantActive
		case cellwall.TenantActive, cellwall.TenantQuarantined, cellwall.TenantClosed:
		default:
			return nil, wrong("state %q is none of active, quarantined, closed", set.State)
		}
		if err := set.Ceiling.WithDefaults().Validate(); err != nil {
			return nil, wrong("ceiling: %w", err)
		}
		if err := set.Default.WithDefaults().Validate(); err != nil {
			return nil, wrong("default: %w", err)
		}
		if err := checkTerms(set.Terms); err != nil {
			return nil, wrong("%w", err)
		}
		list = append(list, cellwall.Tenant{
			ID: tenantID(name), Name: name, State: state, Reason: set.Reason, Created: time.Time{}, Terms: set.Terms,
		})
	}
	return list, nil
}

// tenantID is the same at each start: a tenant of the file has no row that
// could have given it one.
func tenantID(name string) string {
	if name == cellwall.LocalTenant {
		return cellwall.LocalTenant
	}
	sum := sha256.Sum256([]byte("cellwall tenant " + name))
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])
	return cellwall.PrefixTenant + "_" + strings.ToLower(text[:26])
}
