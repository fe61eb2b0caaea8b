package backendtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/cellwall/cellwall/abuse"
)

// world is the canary: what attacks are after, alive, and what was seen of
// them. It stands on the host, and once more in every outer cell.
type world struct {
	abuse.World
	dir    string
	before string // what the canary's files were

	process *canaryProcess
	closers []io.Closer

	mu       sync.Mutex
	contacts []string
}

// where says what a world's parts are called, so that the one in an outer cell
// stands at the same names as the host's.
type where struct {
	Dir      string // of the canary's files; made when missing
	Address  string // that TCP and UDP listen on
	TCP, UDP int    // 0 = any
	Abstract string
	Token    string
}

// newWorld plants files and opens listeners around a canary process, which it
// takes over.
func newWorld(w where, process *canaryProcess) (*world, error) {
	c := &world{dir: w.Dir, process: process}
	c.Token, c.Abstract, c.PID = w.Token, w.Abstract, process.cmd.Process.Pid
	c.CanaryFile = filepath.Join(w.Dir, "secret")
	c.Writable = filepath.Join(w.Dir, "open")
	c.Socket = filepath.Join(w.Dir, "control.sock")
	for _, step := range []func(where) error{c.plant, c.listen} {
		if err := step(w); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	var err error
	if c.before, err = fingerprint(w.Dir); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// plant makes the files. They are readable for everyone: only the wall keeps
// them.
func (c *world) plant(w where) error {
	if err := os.MkdirAll(c.Writable, 0o755); err != nil {
		return fmt.Errorf("plant canary: %w", err)
	}
	return errors.Join(
		os.Chmod(c.Writable, 0o777), // whatever the umask was
		os.WriteFile(c.CanaryFile, []byte("token="+w.Token+"\n"), 0o644),
	)
}

// listen opens every kind of door. Each answers with the token, so that a
// contact shows on both sides.
func (c *world) listen(w where) error {
	tcp, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", w.Address, w.TCP))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	c.TCP = tcp.Addr().(*net.TCPAddr).Port
	c.serve("tcp", tcp)
	udp, err := net.ListenPacket("udp4", fmt.Sprintf("%s:%d", w.Address, w.UDP))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	c.UDP = udp.LocalAddr().(*net.UDPAddr).Port
	c.closers = append(c.closers, udp)
	go c.echo(udp)
	for kind, name := range map[string]string{"unix socket": c.Socket, "abstract socket": "@" + c.Abstract} {
		l, err := net.Listen("unix", name)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		c.serve(kind, l)
	}
	return os.Chmod(c.Socket, 0o777)
}

func (c *world) serve(kind string, l net.Listener) {
	c.closers = append(c.closers, l)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.note(kind)
			io.WriteString(conn, "token="+c.Token+"\n")
			conn.Close()
		}
	}()
}

func (c *world) echo(l net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		_, from, err := l.ReadFrom(buf)
		if err != nil {
			return
		}
		c.note("udp")
		l.WriteTo([]byte("token="+c.Token+"\n"), from)
	}
}

func (c *world) note(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.contacts = append(c.contacts, kind)
}

// facts says what became of the canary, and forgets the contacts.
func (c *world) facts() abuse.Facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := fingerprint(c.dir)
	f := abuse.Facts{
		CanaryChanged: err != nil || now != c.before || !sleeping(c.PID),
		Contacts:      c.contacts,
	}
	c.contacts = nil
	return f
}

func (c *world) close() error {
	var errs []error
	for _, l := range c.closers {
		errs = append(errs, l.Close())
	}
	return errors.Join(append(errs, c.process.end())...)
}

// fingerprint is a digest of names, modes, sizes, owners and contents.
func fingerprint(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, name, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if !info.Mode().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		sum.Write(data)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
