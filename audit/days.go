package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// days lists the days that have a file, oldest first.
func days(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		day, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if _, err := time.Parse(time.DateOnly, day); ok && err == nil {
			list = append(list, day)
		}
	}
	slices.Sort(list)
	return list, nil
}

func dayFile(dir, day string) string { return filepath.Join(dir, day+".jsonl") }

// syncDir has the names of new files survive a loss of power.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
