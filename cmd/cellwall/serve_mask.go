package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"sync"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/fetch"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/policy/mask"
	"github.com/cellwall/cellwall/quota"
)

// masks knows whose personal data is masked, and with which patterns.
type masks struct {
	tenant func(id string) (cellwall.Tenant, error)
	log    *slog.Logger
	made   sync.Map // id of a tenant → madeMask
}

type madeMask struct {
	patterns map[string]string
	masker   *mask.Masker
	err      error // the patterns are none that hold now
}

// masker returns that of a tenant, nil when its terms do not ask for one, and its terms.
// Patterns that were set once and would be refused now are an error, and hide every line.
func (m *masks) masker(tenant string) (*mask.Masker, cellwall.Terms, error) {
	t, err := m.tenant(tenant)
	if err != nil || !t.Terms.Mask { // nothing runs for a tenant that is not there
		return nil, t.Terms, nil
	}
	if kept, ok := m.made.Load(tenant); ok {
		if made := kept.(madeMask); maps.Equal(made.patterns, t.Terms.MaskPatterns) {
			return made.masker, t.Terms, made.err
		}
	}
	masker, err := mask.New(t.Terms.MaskPatterns)
	if err != nil {
		m.log.Error("nothing runs for a tenant whose mask_patterns cannot be used", "tenant", tenant, "error", err, "hint", cellwall.HintOf(err))
		masker, _ = mask.New(map[string]string{"everything": ".+"})
	}
	m.made.Store(tenant, madeMask{maps.Clone(t.Terms.MaskPatterns), masker, err})
	return masker, t.Terms, err
}

// narrow refuses a request of a tenant whose patterns cannot be used: what is personal to
// it would be told.
func (m *masks) narrow(t cellwall.Tenant, _ *cellwall.Request) error {
	_, _, err := m.masker(t.ID)
	if err == nil {
		return nil
	}
	return &cellwall.Error{
		Code: cellwall.CodeForbidden, Op: "mask output", Err: fmt.Errorf("the tenant's mask_patterns cannot be used: %w", err),
		Hint: "an operator has to change them; " + cellwall.HintOf(err),
	}
}

// of is what masks one execution.
func (m *masks) of(who cellwall.Identity) controller.Masking {
	masker, terms, _ := m.masker(who.Tenant)
	if masker == nil {
		return nil
	}
	return masking{masker.Begin(), terms.Withhold}
}

// text returns what masks a tenant's texts, nil when that is not asked for.
func (m *masks) text(tenant string) func(string) string {
	masker, _, _ := m.masker(tenant)
	if masker == nil {
		return nil
	}
	return masker.Text
}

// maskAll masks for everybody, with no patterns beside.
func maskAll(cellwall.Identity) controller.Masking { return masking{new(mask.Masker).Begin(), nil} }

// masking is a pass as the controller knows it.
type masking struct {
	*mask.Pass
	most map[string]int
}

func (m masking) Most() map[string]int { return m.most }

func (m masking) Stream() controller.MaskedStream { return m.Pass.Stream() }

// checkedAccounts refuses terms that cannot be meant.
type checkedAccounts struct{ *quota.Desk }

// AddTenant adds a tenant.
func (a checkedAccounts) AddTenant(ctx context.Context, id, name string, terms cellwall.Terms) (cellwall.Tenant, error) {
	if err := checkTerms(terms); err != nil {
		return cellwall.Tenant{}, err
	}
	return a.Desk.AddTenant(ctx, id, name, terms)
}

// ChangeTenant changes one.
func (a checkedAccounts) ChangeTenant(ctx context.Context, id string, change func(*cellwall.Tenant)) (cellwall.Tenant, error) {
	var wrong error
	t, err := a.Desk.ChangeTenant(ctx, id, func(t *cellwall.Tenant) {
		before := *t
		change(t)
		if reflect.DeepEqual(before.Terms, t.Terms) {
			return // old terms that would be refused now do not keep a tenant from being closed
		}
		if wrong = checkTerms(t.Terms); wrong != nil {
			*t = before
		}
	})
	if wrong != nil {
		return cellwall.Tenant{}, wrong
	}
	return t, err
}

// checkTerms refuses what the desk has no opinion of.
func checkTerms(t cellwall.Terms) error {
	if err := checkMasking(t); err != nil {
		return err
	}
	if _, err := policy.ReadOwn(t.Rules); err != nil {
		return err
	}
	if _, err := fetch.ParseHosts(t.FetchHosts); err != nil {
		return &cellwall.Error{Code: cellwall.CodeBadRequest, Op: "read fetch_hosts", Err: err, Hint: "host, host:port or *.domain; http:// before it where it must be"}
	}
	return nil
}

// checkMasking refuses patterns that are none, and bounds on what nobody looks for.
func checkMasking(t cellwall.Terms) error {
	masker, err := mask.New(t.MaskPatterns)
	if err != nil {
		return err
	}
	if len(t.Withhold) > 0 && !t.Mask {
		return &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "read withhold", Err: errors.New("nothing is counted without mask"), Hint: "set mask as well",
		}
	}
	return mask.Withholding(t.Withhold).Check(masker)
}
