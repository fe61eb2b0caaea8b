package environment

import (
	"fmt"
	"os"
	"strings"
)

// mountPoints are the empty directories that a wall mounts over.
var mountPoints = []string{
	"proc", "dev", "dev/shm", "tmp", "workspace/input", "workspace/output", "run/cellwall/driver", "home", "root",
}

// etcFiles is all of /etc: names for the two users, no network, UTC.
var etcFiles = map[string]string{
	"etc/passwd": "root:x:0:0:root:/root:/nonexistent\n" +
		"cellwall:x:1000:1000:Cellwall:/workspace/output:/nonexistent\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/nonexistent\n",
	"etc/group":         "root:x:0:\ncellwall:x:1000:\nnogroup:x:65534:\n",
	"etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
	"etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 cellwall\n",
	"etc/hostname":      "cellwall\n",
	"etc/timezone":      "Etc/UTC\n",
}

// mergeUsr makes the links by which the old top-level directories are those
// below /usr. It comes before any package.
func mergeUsr(p *placer) error {
	for _, dir := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := p.mkdir("usr/" + dir); err != nil {
			return fmt.Errorf("make root: %w", err)
		}
		if err := p.symlink("usr/"+dir, dir); err != nil {
			return fmt.Errorf("make root: %w", err)
		}
	}
	return nil
}

// furnish makes what no package brings.
func furnish(p *placer, python string) error {
	for _, dir := range mountPoints {
		if err := p.mkdir(dir); err != nil {
			return fmt.Errorf("make mount points: %w", err)
		}
	}
	for name, text := range etcFiles {
		if err := p.file(name, false, strings.NewReader(text)); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{
		"etc/localtime":   "/usr/share/zoneinfo/Etc/UTC",
		"usr/bin/python3": "python" + python,
	} {
		if err := p.symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}

// dropDangling removes the links whose target was pruned, until none is left.
func dropDangling(root *os.Root, m Manifest) error {
	for again := true; again; {
		again = false
		for _, e := range m {
			if e.Link == "" {
				continue
			}
			if _, err := root.Lstat(e.Path); err != nil {
				continue // removed in an earlier round
			}
			if _, err := root.Stat(e.Path); err == nil {
				continue
			}
			if err := root.Remove(e.Path); err != nil {
				return fmt.Errorf("remove dangling link: %w", err)
			}
			again = true
		}
	}
	return nil
}
