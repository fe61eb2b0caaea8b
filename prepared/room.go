package prepared

import "github.com/cellwall/cellwall"

// makeRoom takes off what d's template leaves no room for. s.mu is held.
func (s *Set) makeRoom(d *dataset) (ended []cellwall.Template) {
	take := func(victim *dataset) {
		s.counts.Evicted++
		ended = append(ended, victim.clear())
		victim.parsed = 0 // else its next use would push out another
	}
	for _, other := range s.known { // an older build of the same environment
		if other.template.Name != "" && other.key.tenant == d.key.tenant && other.name == d.name && other.key.environment != d.key.environment {
			take(other)
		}
	}
	for {
		held := s.held()
		own, all := held[d.key.tenant], usage{}
		for _, u := range held {
			all.templates += u.templates
			all.bytes += u.bytes
		}
		tenant := d.key.tenant
		switch {
		case own.templates > s.opts.PerTenant || own.bytes > s.opts.TenantBytes:
		case all.templates > s.opts.Most || all.bytes > s.opts.Bytes:
			tenant = largest(held)
		default:
			return ended
		}
		victim := s.oldest(tenant, d)
		if victim == nil { // d alone is too much
			take(d)
			return ended
		}
		take(victim)
	}
}

// usage is what a tenant's templates take.
type usage struct {
	templates int
	bytes     int64
}

// held sums up what each tenant has. s.mu is held.
func (s *Set) held() map[string]usage {
	held := map[string]usage{}
	for _, d := range s.known {
		if d.template.Name != "" {
			u := held[d.key.tenant]
			held[d.key.tenant] = usage{u.templates + 1, u.bytes + d.template.Bytes}
		}
	}
	return held
}

// largest names the tenant that holds the most, the first by name of equals.
func largest(held map[string]usage) (tenant string) {
	var most usage
	for t, u := range held {
		if u.bytes > most.bytes || u.bytes == most.bytes && (u.templates > most.templates || u.templates == most.templates && t < tenant) {
			tenant, most = t, u
		}
	}
	return tenant
}

// oldest is the tenant's template that was used longest ago, other than except
// unless it is the only one.
func (s *Set) oldest(tenant string, except *dataset) (oldest *dataset) {
	for _, d := range s.known {
		if d.template.Name == "" || d.key.tenant != tenant || d == except {
			continue
		}
		if oldest == nil || d.used.Before(oldest.used) {
			oldest = d
		}
	}
	return oldest
}

// Counts are what has happened so far, and what there is now.
type Counts struct {
	Made, Failed, Served, Lost, Evicted, Expired int64

	Templates int   // now
	Bytes     int64 // that they hold
}

// Counts returns the figures.
func (s *Set) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	for _, u := range s.held() {
		c.Templates += u.templates
		c.Bytes += u.bytes
	}
	return c
}
