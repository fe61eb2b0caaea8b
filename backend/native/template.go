package native

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwall/cellwall"
)

// maxTemplates bounds how many templates there are at once, whoever keeps them:
// each has a warden and a zygote of its own.
const maxTemplates = 64

// template is a stem of its own whose zygote holds one dataset. It cannot be
// started anew without parsing: when the zygote dies or has forked for as long as
// one may, the template is gone.
type template struct {
	name        string
	tenant      string
	environment string // digest and root
	rows        int
	stem        *stem
}

// stemOf returns the stem that sandboxes of spec come from.
func (b *Backend) stemOf(ctx context.Context, spec cellwall.Spec) (*stem, error) {
	if spec.Template == "" {
		return b.stemFor(ctx, spec.Environment)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.templates[spec.Template]
	if t != nil && t.spent() {
		b.forget(t)
		t = nil
	}
	if t == nil || !t.serves(spec) {
		return nil, noTemplate("open sandbox", spec.Template)
	}
	return t.stem, nil
}

// spent reports whether no sandbox can come from t any more.
func (t *template) spent() bool {
	usable, old := t.stem.usable()
	return !usable || old
}

// serves reports whether sandboxes of spec may come from t. To another tenant
// it does not exist.
func (t *template) serves(spec cellwall.Spec) bool {
	return t.tenant == spec.Identity.Tenant && t.environment == place(spec.Environment) && t.rows == spec.Limits.WithDefaults().Rows
}

func place(e cellwall.Environment) string { return e.Digest + " " + e.Root }

func noTemplate(op, name string) error {
	return &cellwall.Error{
		Code: cellwall.CodeNotFound, Op: op, Err: fmt.Errorf("there is no template %s for this tenant, environment and number of rows", name),
		Hint: "prepare the dataset again, or pass it as an input",
	}
}

// checkTemplate refuses inputs beside a template, which has its own.
func checkTemplate(s cellwall.Spec) error {
	if s.Template == "" || len(s.Inputs) == 0 {
		return nil
	}
	return errTemplateInputs("open sandbox")
}

func errTemplateInputs(op string) error {
	return &cellwall.Error{
		Code: cellwall.CodeBadRequest, Op: op, Err: errors.New("a template has its own inputs"),
		Hint: "leave out the template, or the inputs",
	}
}

// Prepare implements cellwall.Templater.
func (b *Backend) Prepare(ctx context.Context, spec cellwall.Spec) (cellwall.Template, error) {
	const op = "prepare dataset"
	if len(spec.Inputs) == 0 || spec.Template != "" || spec.Session {
		return cellwall.Template{}, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: op, Err: errors.New("it takes inputs, and neither a template nor a session"),
		}
	}
	spec.Limits = spec.Limits.WithDefaults()
	if err := b.reserve(); err != nil {
		return cellwall.Template{}, err
	}
	defer b.unreserve()
	columns, err := b.export(ctx, spec)
	if err != nil {
		return cellwall.Template{}, fmt.Errorf("%s: %w", op, err)
	}
	defer columns.Close()
	files, err := duplicateInputs(spec.Inputs)
	if err != nil {
		return cellwall.Template{}, fmt.Errorf("%s: %w", op, err)
	}
	defer closeAll(files)
	given := load{columns: columns, inputs: held(spec.Inputs), files: files, memory: spec.Limits.MemoryBytes}
	st, err := b.startStem(ctx, spec.Environment, false, given)
	if err != nil {
		return cellwall.Template{}, fmt.Errorf("%s: %w", op, err)
	}
	t := &template{
		name: cellwall.NewID(cellwall.PrefixTemplate), tenant: spec.Identity.Tenant, environment: place(spec.Environment),
		rows: spec.Limits.Rows, stem: st,
	}
	return cellwall.Template{Name: t.name, Bytes: st.held + given.bytes()}, b.admit(t)
}

// reserve takes a place for a template before it is made.
func (b *Backend) reserve() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.templates)+b.preparing >= maxTemplates {
		return &cellwall.Error{
			Code: cellwall.CodeBusy, Op: "prepare dataset", Err: fmt.Errorf("there are %d templates", maxTemplates),
			Hint: "forget one first",
		}
	}
	b.preparing++
	return nil
}

func (b *Backend) unreserve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.preparing--
}

// admit lets sandboxes come from t.
func (b *Backend) admit(t *template) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		t.stem.close()
		return &cellwall.Error{Code: cellwall.CodeDraining, Op: "prepare dataset", Err: errors.New("the backend is closed")}
	}
	b.templates[t.name] = t
	return nil
}

// forget has no more sandboxes come from t. b.mu is held.
func (b *Backend) forget(t *template) {
	delete(b.templates, t.name)
	t.stem.retire()
	b.old = append(b.old, t.stem)
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
