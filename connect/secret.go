package connect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// secret is text that nothing prints.
type secret struct{ text string }

// String implements fmt.Stringer.
func (secret) String() string { return "•••" }

// GoString implements fmt.GoStringer.
func (secret) GoString() string { return "•••" }

// MarshalText implements encoding.TextMarshaler.
func (secret) MarshalText() ([]byte, error) { return []byte("•••"), nil }

const maxSecret = 4096

// secret reads it where it is kept. A file that others can read is refused.
func (c *connection) secret() (secret, error) {
	switch {
	case c.SecretFile != "":
		return readSecret(c.SecretFile)
	case c.SecretEnv != "":
		text, there := os.LookupEnv(c.SecretEnv)
		if !there || text == "" {
			return secret{}, fmt.Errorf("the variable %s is not set", c.SecretEnv)
		}
		return secret{text}, nil
	}
	return secret{}, nil
}

func readSecret(path string) (s secret, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return s, fmt.Errorf("open secret_file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, fmt.Errorf("look at secret_file: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return s, errors.New("secret_file is not a regular file")
	case info.Mode().Perm()&0o077 != 0:
		return s, fmt.Errorf("secret_file has mode %04o: others can read it; chmod 600", info.Mode().Perm())
	case !ok || owner.Uid != 0 && int(owner.Uid) != os.Geteuid():
		return s, errors.New("secret_file is another user's")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return s, fmt.Errorf("read secret_file: %w", err)
	}
	text := strings.TrimRight(string(raw), "\r\n")
	if text == "" || len(raw) > maxSecret {
		return s, errors.New("secret_file is empty or too long")
	}
	return secret{text}, nil
}

// scrubbed takes the secret out of a text, whoever put it there.
func (s secret) scrubbed(text string) string {
	if s.text == "" {
		return text
	}
	return strings.ReplaceAll(text, s.text, s.String())
}
