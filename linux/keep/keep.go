package keep

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/owner"
)

const (
	// MaxEntries is how many names a checkpoint may have.
	MaxEntries = 1 << 16
	// MaxDepth is how many directories may lie in each other.
	MaxDepth = 128
)

// trash is the directory in Hidden where others are taken apart.
const trash = "t"

var (
	// ErrUnknown says that there is no such checkpoint.
	ErrUnknown = errors.New("no such checkpoint of files")
	// ErrStripped says that a checkpoint has lost its files, or never had them.
	ErrStripped = errors.New("the checkpoint has no files")
)

// Options of a Store.
type Options struct {
	Work, Hidden string // directories in root; Hidden is empty
	Bytes        int64  // that Work may use, see Over
	Inodes       int64  // likewise
	Budget       int64  // bytes that checkpoints may hold together
	// Order names checkpoints, those first that shall lose their files first, when
	// room is needed. The others follow, the oldest first. nil: there is no order.
	Order func() []string
}

// Store keeps the checkpoints of one Work. It may be used from several
// goroutines; one thing happens at a time.
type Store struct {
	o            Options
	owner        owner.ID
	device       uint64
	work, hidden *os.File
	trash        *os.File
	fineClock    bool

	mu          sync.Mutex
	next        uint64            // number of the next name in Hidden
	epoch       uint64            // of marks, see sweep
	inodes      map[uint64]*inode // by number
	contents    map[*content]bool // that were copied
	copied      int64             // bytes in packs
	left        int64             // bytes of files that only Hidden has, as of the last look
	checkpoints []*checkpoint
	live        *node // what Work was at the last Take or Restore
}

// checkpoint is one state. Without a tree its files are gone.
type checkpoint struct {
	id   string
	tree *node
}

// Open starts a Store in root, the root directory of a tmpfs mount. It keeps
// descriptors of its own.
func Open(root *os.File, o Options) (*Store, error) {
	s := &Store{o: o, inodes: map[uint64]*inode{}, contents: map[*content]bool{}}
	err := s.openPlaces(root)
	if err == nil {
		err = s.owner.Do(s.furnish)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store of checkpoints: %w", err), s.Close())
	}
	return s, nil
}

// openPlaces opens both directories as who may pass the root of the file system.
func (s *Store) openPlaces(root *os.File) (err error) {
	if s.work, err = openDir(root, s.o.Work); err != nil {
		return err
	}
	if s.hidden, err = openDir(root, s.o.Hidden); err != nil {
		return err
	}
	st, err := statOf(s.work)
	if err != nil {
		return err
	}
	s.device, s.owner = st.Dev, owner.ID{UID: int(st.Uid), GID: int(st.Gid)}
	return nil
}

func (s *Store) furnish() (err error) {
	if err := unix.Mkdirat(int(s.hidden.Fd()), trash, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", trash, err)
	}
	if s.trash, err = openDir(s.hidden, trash); err != nil {
		return err
	}
	s.fineClock, err = s.probeClock()
	return err
}

// Used returns how many bytes the checkpoints hold: at most the budget.
func (s *Store) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.copied + s.left
}

// Holds reports whether Hidden has a link of the file with that number: one more
// than the program made.
func (s *Store) Holds(ino uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.inodes[ino]
	return i != nil && i.link != ""
}

// Drop forgets a checkpoint and what only it held.
func (s *Store) Drop(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.find(id)
	if n < 0 {
		return ErrUnknown
	}
	s.checkpoints = append(s.checkpoints[:n:n], s.checkpoints[n+1:]...)
	return s.owner.Do(func() error { return s.sweep(nil) })
}

func (s *Store) find(id string) int {
	for n, c := range s.checkpoints {
		if c.id == id {
			return n
		}
	}
	return -1
}

// Close lets go of the descriptors. The files go with the file system.
func (s *Store) Close() error {
	var errs []error
	for _, f := range []*os.File{s.work, s.hidden, s.trash} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
