package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/cgroup"
	"github.com/cellwall/cellwall/linux/seccomp"
)

// Name is what results and flags call this backend.
const Name = "native"

// forksPerZygote bounds how long one zygote's address layout and hash seed are
// shared by the sandboxes that come from it.
const forksPerZygote = 20_000

// Options say where and how. StateDir and Self are required.
type Options struct {
	// StateDir holds the instance's lock and the unpacked driver.
	StateDir string
	// Self is the command line that ends up in Warden, for instance
	// {"/proc/self/exe", "native-warden"}.
	Self []string
	// Probe is the command line that ends up in probe.Child.
	Probe []string
	// Compile is how the driver gets its bytecode; nil means it gets none.
	Compile Compiler
	// Logger hears of what no caller is told; nil means nobody does.
	Logger *slog.Logger
}

// Backend opens native sandboxes. It is safe for concurrent use.
type Backend struct {
	self           []string
	probe          []string
	logger         *slog.Logger
	stateDir       string
	compile        Compiler
	instance       *instance
	hierarchy      cgroup.Hierarchy
	groups         *cgroup.Instance // nil where no controller can be used
	wardens        *cgroup.Group    // where wardens live; nil where that makes no difference
	supervisor     *seccomp.Supervisor
	filter         []byte
	sessionFilter  []byte
	filterFlags    uint
	manyUIDs       bool  // sandboxes get users of their own
	oneUID         error // why not
	forksPerZygote int
	probeTimeout   time.Duration
	warmTimeout    time.Duration
	helloTimeout   time.Duration
	endTimeout     time.Duration
	birthPatience  time.Duration
	starting       context.Context // of stems that are started; ends with Close
	stopStarting   context.CancelFunc

	// opening bounds how many sandboxes are being opened: more than there are
	// processors would only push each other's memory out of the caches.
	opening  chan struct{}
	veterans *veterans
	nextUID  atomic.Uint32

	mu    sync.Mutex // guards the rest
	stems map[string]*sprout

	templates map[string]*template // by name
	preparing int                  // places taken for more
	old       []*stem              // retired, until their last sandbox is gone
	names     uint64
	closed    bool
}

// sprout is a stem that may still be starting.
type sprout struct {
	ready chan struct{} // closed when stem and err are set
	stem  *stem
	err   error
}

// New takes an instance of the state directory, sweeps what dead ones left,
// and prepares the filter. It starts no process.
func New(o Options) (b *Backend, err error) {
	if o.StateDir == "" || len(o.Self) == 0 {
		return nil, errors.New("make native backend: it needs a state directory and its own command line")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	b = &Backend{
		self: o.Self, probe: o.Probe, compile: o.Compile, logger: o.Logger, stateDir: o.StateDir,
		forksPerZygote: forksPerZygote,
		probeTimeout:   probeTimeout, warmTimeout: warmTimeout, helloTimeout: helloTimeout, endTimeout: endTimeout, stems: map[string]*sprout{},
		templates:     map[string]*template{},
		birthPatience: birthPatience,
		opening:       make(chan struct{}, runtime.NumCPU()), veterans: newVeterans(runtime.NumCPU(), o.Logger),
	}
	b.starting, b.stopStarting = context.WithCancel(context.Background())
	if err := b.compileFilters(); err != nil {
		return nil, err
	}
	if weakness() != "" {
		b.logger.Warn("this build goes without a protection", "protection", weakness())
	}
	if b.instance, err = takeInstance(o.StateDir); err != nil {
		return nil, err
	}
	if err := b.prepare(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// compileFilters lays out the filters of one program and of a session.
func (b *Backend) compileFilters() error {
	b.filterFlags = seccomp.InstallFlags()
	for _, of := range []struct {
		profile seccomp.Profile
		bytes   *[]byte
	}{{seccomp.Profile{}, &b.filter}, {seccomp.Profile{Session: true}, &b.sessionFilter}} {
		program, err := seccomp.Compile(of.profile, seccomp.Arch(runtime.GOARCH))
		if err != nil {
			return missing("filter system calls", err, "use a supported architecture: amd64 or arm64")
		}
		*of.bytes = program.Bytes()
		if without(callFilter) {
			*of.bytes = allowEverything()
		}
	}
	return nil
}

func (b *Backend) prepare() (err error) {
	if b.supervisor, err = seccomp.NewSupervisor(); err != nil {
		return missing("hear of refused system calls", err, "use Linux 5.0 or newer")
	}
	if b.hierarchy, err = cgroup.Detect(); err != nil {
		return fmt.Errorf("find control groups: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), sweepPatience)
	defer cancel()
	if err := b.Sweep(ctx, b.alive); err != nil {
		b.logger.Warn("sweep what dead controllers left", "error", err)
	}
	if err := b.moveOn(); err != nil {
		return err
	}
	b.oneUID = canGiveUsers(b.instance.ids())
	b.manyUIDs = b.oneUID == nil
	if b.hierarchy.Version == cgroup.None {
		return nil
	}
	if b.groups, err = cgroup.NewInstance(b.hierarchy, b.instance.name()); err != nil {
		return fmt.Errorf("make control groups: %w", err)
	}
	return b.admitWardens()
}

// admitWardens lets zygotes, which are not root on the host, clone into the
// groups of sandboxes. A user who runs us owns the groups and the zygotes alike.
func (b *Backend) admitWardens() (err error) {
	if b.hierarchy.Version != cgroup.V2 || !b.manyUIDs {
		return nil
	}
	if err := b.groups.Admit(b.instance.ids()); err != nil {
		return err
	}
	b.wardens, err = b.groups.New("wardens", cgroup.Limits{})
	return err
}

func missing(what string, err error, hint string) error {
	return &cellwall.Error{Code: cellwall.CodeProtectionMissing, Op: what, Err: err, Hint: hint}
}

// alive is what the first sweep asks. What an earlier holder of our own slot
// left is dead.
func (b *Backend) alive(name string) bool {
	return name != b.instance.name() && b.instance.alive(b.stateDir, name)
}

// sweepPatience bounds what a start does for dead controllers: a process that
// the kernel cannot end is no reason not to serve.
const sweepPatience = 10 * time.Second

// Sweep implements cellwall.Backend. Processes, mounts and namespaces of a dead
// controller are gone with its warden; groups are what can be left, and a driver
// that was being unpacked.
func (b *Backend) Sweep(ctx context.Context, alive func(string) bool) error {
	_, err := cgroup.Sweep(ctx, b.hierarchy, func(name string) cgroup.Fate { return b.instance.fate(name, alive) })
	return errors.Join(err, b.instance.sweepSlots())
}

// stemFor returns the warm stem of an environment, starting it when there is
// none. Callers of one environment wait for the same start.
func (b *Backend) stemFor(ctx context.Context, environment cellwall.Environment) (*stem, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, &cellwall.Error{Code: cellwall.CodeDraining, Op: "open sandbox", Err: errors.New("the backend is closed")}
	}
	key := environment.Digest + " " + environment.Root
	current := b.stems[key]
	if current == nil || current.spent() {
		if current != nil && current.stem != nil {
			b.old = append(b.old, current.stem)
		}
		current = &sprout{ready: make(chan struct{})}
		b.stems[key] = current
		go b.grow(current, environment)
	}
	b.mu.Unlock()
	select {
	case <-current.ready:
		return current.stem, current.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// grow starts a stem for whoever waits for it. It does not end with the first
// caller, who may be gone before the others, but with the backend.
func (b *Backend) grow(s *sprout, environment cellwall.Environment) {
	s.stem, s.err = b.startStem(b.starting, environment, false, load{})
	close(s.ready)
	b.closeSpent()
}

// spent reports whether new sandboxes need another stem.
func (s *sprout) spent() bool {
	select {
	case <-s.ready:
	default:
		return false
	}
	if s.err != nil {
		return true
	}
	usable, old := s.stem.usable()
	return !usable || old
}

// closeSpent ends retired stems that hold no sandbox any more.
func (b *Backend) closeSpent() {
	b.mu.Lock()
	var ended []*stem
	kept := b.old[:0]
	for _, s := range b.old {
		if s.idle() {
			ended = append(ended, s)
		} else {
			kept = append(kept, s)
		}
	}
	b.old = kept
	b.mu.Unlock()
	for _, s := range ended {
		s.close()
	}
}

// Close ends every sandbox and gives back the instance.
func (b *Backend) Close() error {
	b.stopStarting()
	b.mu.Lock()
	b.closed = true
	stems := append(b.old, b.withdraw()...)
	sprouts := b.stems
	b.old, b.stems = nil, map[string]*sprout{}
	b.mu.Unlock()
	for _, s := range sprouts {
		<-s.ready
		if s.stem != nil {
			stems = append(stems, s.stem)
		}
	}
	for _, s := range stems {
		s.close()
	}
	var errs []error
	if b.supervisor != nil {
		errs = append(errs, b.supervisor.Close())
	}
	if b.wardens != nil {
		errs = append(errs, b.wardens.Remove(context.Background()))
	}
	if b.groups != nil {
		errs = append(errs, b.groups.Close())
	}
	errs = append(errs, b.instance.close())
	return errors.Join(errs...)
}

// groupName is unique within the instance.
func (b *Backend) groupName() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names++
	return fmt.Sprintf("s%d", b.names)
}
