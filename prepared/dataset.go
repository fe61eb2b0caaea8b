package prepared

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// key is what a template serves.
type key struct {
	tenant      string
	environment string // digest and root
	rows        int
	inputs      string // names and contents, in order
}

// keyOf reports whether spec has inputs whose content is known.
func keyOf(spec cellwall.Spec) (key, bool) {
	var inputs strings.Builder
	for _, in := range spec.Inputs {
		if in.SHA256 == "" {
			return key{}, false
		}
		fmt.Fprintf(&inputs, "%s %d %q\n", in.SHA256, in.Size, in.Name)
	}
	return key{
		tenant: spec.Identity.Tenant, environment: spec.Environment.Digest + " " + spec.Environment.Root,
		rows: spec.Limits.WithDefaults().Rows, inputs: inputs.String(),
	}, len(spec.Inputs) > 0
}

// dataset is what is known of one.
type dataset struct {
	key      key
	name     string   // of the environment
	contents []string // hashes of the inputs
	parsed   int      // how often in place
	took     time.Duration
	used     time.Time
	dropped  bool

	template cellwall.Template // no name = there is none
	idle     *time.Timer       // ends it
	flight   chan struct{}     // closed when what is being made is there, or is not; nil = nothing is
	failure  error             // why it could not be made
	retry    time.Time         // before which nobody tries again; zero = at once
}

// clear takes the template off. Set.mu is held.
func (d *dataset) clear() cellwall.Template {
	t := d.template
	d.template = cellwall.Template{}
	if d.idle != nil {
		d.idle.Stop()
	}
	return t
}

// remember returns what is known of a dataset; the one without a template that
// was used longest ago makes room. s.mu is held.
func (s *Set) remember(k key, spec cellwall.Spec) *dataset {
	d := s.known[k]
	if d == nil {
		if len(s.known) >= maxKnown {
			s.forgetOne()
		}
		d = &dataset{key: k, name: spec.Environment.Name}
		for _, in := range spec.Inputs {
			d.contents = append(d.contents, in.SHA256)
		}
		s.known[k] = d
	}
	d.used = time.Now()
	return d
}

func (s *Set) forgetOne() {
	var oldest *dataset
	for _, d := range s.known {
		if d.template.Name == "" && d.flight == nil && (oldest == nil || d.used.Before(oldest.used)) {
			oldest = d
		}
	}
	if oldest != nil {
		delete(s.known, oldest.key)
	}
}

// Drop ends every template of a tenant that holds the content with this hash:
// the dataset is deleted.
func (s *Set) Drop(tenant, sha256 string) {
	s.dropIf(func(d *dataset) bool { return d.key.tenant == tenant && slices.Contains(d.contents, sha256) })
}

// DropTenant ends every template of a tenant.
func (s *Set) DropTenant(tenant string) {
	s.dropIf(func(d *dataset) bool { return d.key.tenant == tenant })
}

// dropIf forgets datasets, and has their templates ended.
func (s *Set) dropIf(chosen func(*dataset) bool) {
	s.mu.Lock()
	var ended []cellwall.Template
	for k, d := range s.known {
		if chosen(d) {
			d.dropped = true
			delete(s.known, k)
			ended = append(ended, d.clear())
		}
	}
	s.mu.Unlock()
	s.forget(ended...)
}

// forget has the backend end templates. One that it does not know has ended.
func (s *Set) forget(ended ...cellwall.Template) {
	for _, t := range ended {
		if t.Name == "" {
			continue
		}
		if err := s.opts.Backend.Forget(t.Name); err != nil && cellwall.CodeOf(err) != cellwall.CodeNotFound {
			s.opts.Logger.Warn("forget prepared dataset", "template", t.Name, "error", err)
		}
	}
}
