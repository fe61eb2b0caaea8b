package native_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cellwall/cellwall/backend/backendtest"
	"github.com/cellwall/cellwall/backend/native"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/linux/cgroup"
)

// TestM40_Templates is the contract of datasets that are parsed ahead, with
// everything that root can enforce.
func TestM40_Templates(t *testing.T) {
	testkit.RequireRoot(t)
	privateTemp(t)
	s := backendtest.Rooms(t, open(t), basic(t), 0)
	s.Cases = cases(t)
	s.KillTemplates = func() error { return killTemplates(t) }
	backendtest.Templates(t, s)
}

// TestM40_TemplatesDelegated is the same, brief, for a user who was given groups.
func TestM40_TemplatesDelegated(t *testing.T) {
	prepareChild(t)
	child := asNobody()
	if !testkit.InChild(t) {
		t.Setenv(cgroup.BaseVariable, giveGroups(t, child))
	}
	testkit.RunInSubprocess(t, child, func(t *testing.T) {
		b := open(t)
		s := backendtest.Rooms(t, b, basic(t), 0)
		s.Missing, s.Brief = missing(t, b.Probe(t.Context())), true
		if !slices.Equal(s.Missing, []string{native.OwnUID}) {
			t.Fatalf("this user misses %v", s.Missing)
		}
		backendtest.Templates(t, s)
	})
}

// killTemplates kills the zygotes of wardens that hold files of a template.
func killTemplates(t *testing.T) error {
	killed := 0
	for _, warden := range wardens(t) {
		root := fmt.Sprintf("/proc/%d", warden)
		if _, err := os.Stat(root + "/root/workspace/input/held"); err != nil {
			continue
		}
		lists, err := filepath.Glob(root + "/task/*/children")
		if err != nil {
			return err
		}
		for _, list := range lists {
			children, err := os.ReadFile(list)
			if err != nil {
				continue // a thread that ended
			}
			for _, child := range strings.Fields(string(children)) {
				line, err := os.ReadFile("/proc/" + child + "/cmdline")
				if err != nil || !strings.Contains(string(line), "zygote.main") {
					continue
				}
				pid, err := strconv.Atoi(child)
				if err != nil {
					return err
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					return err
				}
				killed++
			}
		}
	}
	if killed == 0 {
		return errors.New("no zygote of a template was found")
	}
	return nil
}
