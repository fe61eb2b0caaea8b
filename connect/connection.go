package connect

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cellwall/cellwall"
)

// Connection is one as the operator writes it. Zero fields are the defaults.
type Connection struct {
	URL        string        // without a password, see doc.go
	User       string        // of a bucket: the access key
	SecretFile string        // of mode 0600 or stricter
	SecretEnv  string        // a variable of this process; one of the two, or none
	Timeout    time.Duration // of a whole snapshot; 0 = 30 s
	Rows       int           // 0 = 1,000,000
	Bytes      int64         // 0 = 256 MiB
}

// The defaults of a connection.
const (
	standardTimeout = 30 * time.Second
	standardRows    = 1_000_000
	standardBytes   = 256 * cellwall.MiB
)

// connection is one that was checked.
type connection struct {
	Connection
	name string
	url  *url.URL
	from source
}

// Book is every connection of a service. It is safe for concurrent use.
type Book struct {
	dir string
	all map[string]*connection
}

var plainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)

// Open checks the connections and reaches none of them. dir is for files without
// names; "" = the system's.
func Open(dir string, list map[string]Connection) (*Book, error) {
	b := &Book{dir: dir, all: map[string]*connection{}}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		c, err := check(name, list[name])
		if err != nil {
			return nil, fmt.Errorf("connection %.64q: %w", name, err)
		}
		b.all[name] = c
	}
	return b, nil
}

// Names lists the connections.
func (b *Book) Names() []string { return slices.Sorted(maps.Keys(b.all)) }

// check refuses what cannot be meant. No error holds the address: somebody may have
// written a password into it.
func check(name string, from Connection) (*connection, error) {
	c := &connection{Connection: from, name: name}
	if !plainName.MatchString(name) {
		return nil, errors.New("a name is of a-z, 0-9, - and _, at most 64 characters")
	}
	u, err := url.Parse(from.URL)
	if err != nil {
		return nil, errors.New("its url is no address")
	}
	if _, there := u.User.Password(); there {
		return nil, errors.New("its url holds a password: put it into secret_file or secret_env")
	}
	switch {
	case from.SecretFile != "" && from.SecretEnv != "":
		return nil, errors.New("its secret is in a file or in a variable, not in both")
	case from.SecretFile != "" && !filepath.IsAbs(from.SecretFile):
		return nil, errors.New("secret_file is not an absolute path")
	case from.Timeout < 0 || from.Rows < 0 || from.Bytes < 0:
		return nil, errors.New("timeout, rows and bytes are above 0")
	}
	standard(&c.Timeout, standardTimeout)
	standard(&c.Rows, standardRows)
	standard(&c.Bytes, standardBytes)
	c.url = u
	switch u.Scheme {
	case "postgres", "postgresql":
		c.from, err = checkPostgres(c)
	case "sqlite":
		c.from, err = checkSQLite(c)
	case "s3":
		c.from, err = checkS3(c)
	default:
		err = errors.New("its url begins with none of postgres://, sqlite: and s3://")
	}
	return c, err
}

func standard[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// only refuses parameters of an address that nobody reads.
func only(u *url.URL, known ...string) error {
	for key := range u.Query() {
		if !slices.Contains(known, key) {
			return fmt.Errorf("its url has a parameter %.40q; there are %s", key, strings.Join(known, ", "))
		}
	}
	return nil
}
