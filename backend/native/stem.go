package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/fdpass"
	"github.com/cellwall/cellwall/linux/mount"
	"github.com/cellwall/cellwall/linux/ns"
	"github.com/cellwall/cellwall/linux/pidfd"
)

// uidRange is how many user ids one instance has, somewhere from uidBase on.
const (
	uidBase  = 0x4000_0000
	uidRange = 65_536
)

// warmTimeout bounds the imports of a zygote.
const warmTimeout = 2 * time.Minute

// errStemGone is what every request gets after the warden's death.
var errStemGone = &cellwall.Error{
	Code: cellwall.CodeInternal, Err: errors.New("the warden of this environment has ended"),
	Hint: "run it again; the kernel's log says whether the host ran out of memory",
}

// stem is the controller's side of one warden and its zygote.
type stem struct {
	wire    *wire
	warden  *pidfd.Process
	driver  string   // directory on the host
	modules []string // imported by a benchmark's twin
	held    int64    // bytes of a template's frames

	mu       sync.Mutex
	nextID   uint64
	waiting  map[uint64]chan message
	exits    map[uint64]*exit
	members  map[int]*exit // of sessions, by the warden's numbers
	settled  chan struct{} // closed when the zygote forks at its best
	gone     chan struct{} // closed when the warden is
	silent   chan struct{} // closed when it writes no more
	words    string        // the end of what it wrote
	retired  bool          // the zygote is gone or old: opens nothing more
	opened   int
	lifetime int
}

// startStem starts a warden and returns when its zygote is warm. With limit it
// is the benchmark's twin; with a load every sandbox has that.
func (b *Backend) startStem(ctx context.Context, environment cellwall.Environment, limit bool, given load) (*stem, error) {
	conn, theirs, err := fdpass.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	s := &stem{
		wire: newWire(conn), waiting: map[uint64]chan message{}, exits: map[uint64]*exit{}, members: map[int]*exit{},
		settled: make(chan struct{}), gone: make(chan struct{}), silent: make(chan struct{}), lifetime: b.forksPerZygote,
	}
	driver, err := b.unpackDriver(ctx, environment)
	if err != nil {
		s.wire.close()
		return nil, err
	}
	s.driver = driver
	request, mounts, err := b.startRequest(environment, driver)
	request.Limit, request.Template, request.Inputs, request.Memory = limit, given.columns != nil, given.inputs, given.memory
	if err != nil {
		s.wire.close()
		return nil, err
	}
	defer closeAll(mounts)
	if err := s.exec(b, theirs, mounts); err != nil {
		s.wire.close()
		return nil, refusedByHost("start warden", err)
	}
	theirs.Close()
	if err := s.await(ctx, request, b.warmTimeout, given.passed()...); err != nil {
		s.close()
		return nil, fmt.Errorf("start environment %s: %w: %s", environment.Name, err, s.lastWords())
	}
	go s.listen()
	return s, nil
}

// startRequest says what the warden builds from. Root hands over mounts, since
// the warden's user reaches nothing of root's by path; others hand over paths.
func (b *Backend) startRequest(e cellwall.Environment, driver string) (startRequest, []*os.File, error) {
	request := startRequest{
		Interpreter: e.Interpreter, Modules: e.WarmUp,
		Filter: b.filter, SessionFilter: b.sessionFilter, FilterFlags: b.filterFlags, ManyUIDs: b.manyUIDs,
	}
	if !b.manyUIDs {
		request.Root, request.Driver = e.Root, driver
		return request, nil, nil
	}
	var mounts []*os.File
	for _, path := range []string{e.Root, driver} {
		tree, err := mount.Clone(path)
		if err != nil {
			closeAll(mounts)
			return request, nil, err
		}
		mounts = append(mounts, tree)
	}
	return request, mounts, nil
}

func (s *stem) exec(b *Backend, control *os.File, mounts []*os.File) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	heard, words, err := os.Pipe()
	if err != nil {
		return err
	}
	defer words.Close()
	go s.overhear(heard, b.logger)
	process := ns.Process{
		Alone: true, Leashed: true,
		Path: b.self[0], Args: b.self, Env: append(wardenEnv(), "PATH=/usr/bin", "GODEBUG=madvdontneed=1", "GOMAXPROCS=2", "GOGC=400"), Dir: "/",
		Files: append([]*os.File{null, words, words, control}, mounts...),
		Kinds: kept(ns.User | ns.Mount | ns.PID | ns.Net | ns.IPC | ns.UTS),
	}
	if b.wardens != nil {
		if process.Group, err = b.wardens.FD(); err != nil {
			return err
		}
	}
	if b.manyUIDs {
		outside := b.instance.ids()
		process.UID = &ns.IDMap{Outside: outside, Size: uidRange}
		process.GID = &ns.IDMap{Outside: outside, Size: uidRange}
		process.Run = ns.Root(true)
	} else {
		process.UID = &ns.IDMap{Outside: os.Getuid(), Size: 1}
		process.GID = &ns.IDMap{Outside: os.Getgid(), Size: 1}
		process.Run = ns.Root(false)
	}
	fd, err := startLeashed(process)
	if err != nil {
		return err
	}
	s.warden, err = pidfd.New(fd)
	return err
}

// overheardBytes is how much of what a warden and its zygote write is kept for
// the error that follows.
const overheardBytes = 2048

// overhear logs what warden and zygote write, line by line. Sandboxes cannot
// reach this pipe.
func (s *stem) overhear(heard *os.File, logger *slog.Logger) {
	defer heard.Close()
	lines := bufio.NewScanner(heard)
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		logger.Info("zygote says", "line", lines.Text())
		s.mu.Lock()
		s.words += lines.Text() + "\n"
		s.words = s.words[max(0, len(s.words)-overheardBytes):]
		s.mu.Unlock()
	}
	close(s.silent)
}

// lastWords returns the end of what was overheard, once the warden is gone.
func (s *stem) lastWords() string {
	<-s.silent
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(s.words)
}

// startLeashed starts a process on a thread of its own, which waits for its end:
// when this controller dies, by whatever signal, so does the thread, and the
// kernel kills what it started.
func startLeashed(process ns.Process) (pidfd int, err error) {
	type started struct {
		fd  int
		err error
	}
	tell := make(chan started, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		pid, fd, err := ns.Start(process)
		tell <- started{fd, err}
		if err != nil {
			return
		}
		if p, err := os.FindProcess(pid); err == nil {
			_, _ = p.Wait()
		}
	}()
	s := <-tell
	return s.fd, s.err
}

func (s *stem) await(ctx context.Context, request startRequest, patience time.Duration, files ...*os.File) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { s.wire.conn.Close() })
	defer stop()
	if err := s.wire.send(msgStart, request, files...); err != nil {
		return err
	}
	m, err := s.wire.receive()
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	var reply startReply
	if err := m.decode(&reply); err != nil {
		return err
	}
	if reply.Unfit {
		return unfit(cellwall.End{}, cellwall.ExecutionError{Message: reply.Error})
	}
	if reply.Error != "" {
		return errors.New(reply.Error)
	}
	s.modules, s.held = reply.Modules, reply.Bytes
	return nil
}

// close ends the warden, and with it everything behind its walls.
func (s *stem) close() {
	s.wire.close()
	if s.warden != nil {
		_ = s.warden.Kill()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = s.warden.Wait(ctx)
		_ = s.warden.Close()
	}
}
