package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cellwall/cellwall"
)

// A template is a stem of its own whose zygote holds one dataset. It cannot be
// started anew without parsing, so it serves until it is forgotten.
const (
	maxTemplates = 4
	templateIdle = 10 * time.Minute
)

type template struct {
	name        string
	tenant      string
	environment string // digest and root
	rows        int
	content     string // what makes two datasets the same
	stem        *stem
	used        time.Time
}

// stemOf returns the stem that sandboxes of spec come from.
func (b *Backend) stemOf(ctx context.Context, spec cellwall.Spec) (*stem, error) {
	if spec.Template == "" {
		return b.stemFor(ctx, spec.Environment)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.templates[spec.Template]
	if t == nil || !t.serves(spec) {
		return nil, noTemplate("open sandbox", spec.Template)
	}
	t.used = time.Now()
	return t.stem, nil
}

// serves reports whether sandboxes of spec may come from t. To another tenant
// it does not exist.
func (t *template) serves(spec cellwall.Spec) bool {
	usable, _ := t.stem.usable()
	return usable && t.tenant == spec.Identity.Tenant && t.environment == place(spec.Environment) && t.rows == spec.Limits.WithDefaults().Rows
}

func place(e cellwall.Environment) string { return e.Digest + " " + e.Root }

func noTemplate(op, name string) error {
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: op, Err: fmt.Errorf("there is no template %s for this tenant, environment and number of rows", name),
		Hint: "prepare the dataset again, or pass it as an input",
	}
}

// Prepare implements cellwall.Templater.
func (b *Backend) Prepare(ctx context.Context, spec cellwall.Spec) (string, error) {
	const op = "prepare dataset"
	if len(spec.Inputs) == 0 || spec.Template != "" || spec.Session {
		return "", &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: op, Err: errors.New("it takes inputs, and neither a template nor a session"),
		}
	}
	spec.Limits = spec.Limits.WithDefaults()
	content, err := digest(spec.Inputs)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	if name := b.prepared(spec, content); name != "" {
		return name, nil
	}
	dataset, err := b.export(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	defer dataset.Close()
	st, err := b.startStem(ctx, spec.Environment, false, dataset)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	st.lifetime = math.MaxInt
	t := &template{
		name: cellwall.NewID(cellwall.PrefixTemplate), tenant: spec.Identity.Tenant, environment: place(spec.Environment),
		rows: spec.Limits.Rows, content: content, stem: st, used: time.Now(),
	}
	return t.name, b.admit(t)
}

// prepared returns the template that holds the same dataset already, or "".
func (b *Backend) prepared(spec cellwall.Spec, content string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, t := range b.templates {
		if t.content == content && t.serves(spec) {
			t.used = time.Now()
			return name
		}
	}
	return ""
}

// admit keeps a template; the one that was used longest ago makes room.
func (b *Backend) admit(t *template) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		t.stem.close()
		return &cellwall.Error{Code: cellwall.CodeDraining, Op: "prepare dataset", Err: errors.New("the backend is closed")}
	}
	if len(b.templates) >= b.room {
		oldest := t
		for _, other := range b.templates {
			if other.used.Before(oldest.used) {
				oldest = other
			}
		}
		b.forget(oldest)
	}
	b.templates[t.name] = t
	b.mu.Unlock()
	time.AfterFunc(templateIdle, func() { b.expire(t, templateIdle) })
	b.closeSpent()
	return nil
}

// forget has no more sandboxes come from t. b.mu is held.
func (b *Backend) forget(t *template) {
	delete(b.templates, t.name)
	t.stem.retire()
	b.old = append(b.old, t.stem)
}

// expire forgets a template that nobody used for so long, and looks again later
// at one that is in use.
func (b *Backend) expire(t *template, after time.Duration) {
	b.mu.Lock()
	if b.templates[t.name] != t {
		b.mu.Unlock()
		return
	}
	left := after - time.Since(t.used)
	switch {
	case !t.stem.idle():
		time.AfterFunc(after, func() { b.expire(t, after) })
	case left > 0:
		time.AfterFunc(left, func() { b.expire(t, after) })
	default:
		b.forget(t)
	}
	b.mu.Unlock()
	b.closeSpent()
}

// Forget implements cellwall.Templater.
func (b *Backend) Forget(name string) error {
	b.mu.Lock()
	t := b.templates[name]
	if t != nil {
		b.forget(t)
	}
	b.mu.Unlock()
	if t == nil {
		return noTemplate("forget template", name)
	}
	b.closeSpent()
	return nil
}

// withdraw forgets every template and returns their stems. b.mu is held.
func (b *Backend) withdraw() (stems []*stem) {
	for _, t := range b.templates {
		stems = append(stems, t.stem)
	}
	clear(b.templates)
	return stems
}
