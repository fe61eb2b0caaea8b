package guest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"
)

// The driver's modules and nothing else of its folder: no tests, no settings,
// no compiled files. A folder that gains modules is named here.
//
//go:embed driver/_cellwall/*.py driver/_cellwall/tables/*.py driver/_cellwall/template/*.py
var embedded embed.FS

// Driver returns the driver's files as they are mounted at
// /run/cellwall/driver: the package _cellwall at its top.
func Driver() fs.FS {
	files, err := fs.Sub(embedded, "driver")
	if err != nil {
		panic(err) // "driver" is a constant, valid path
	}
	return files
}

// DriverDigest returns the SHA-256, in hexadecimal, over the names and the
// contents of the driver's files in order of their names. It changes exactly
// when what runs inside the wall changes.
func DriverDigest() string { return driverDigest() }

var driverDigest = sync.OnceValue(func() string {
	sum := sha256.New()
	err := fs.WalkDir(Driver(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(embedded, "driver/"+name)
		if err != nil {
			return err
		}
		// Lengths keep a name's end apart from its content's beginning.
		_, err = fmt.Fprintf(sum, "%d %s %d ", len(name), name, len(content))
		if err == nil {
			_, err = sum.Write(content)
		}
		return err
	})
	if err != nil {
		panic(err) // reading embedded files cannot fail
	}
	return hex.EncodeToString(sum.Sum(nil))
})
