package probe

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/cellwall/cellwall/linux/cgroup"
)

// tryGroup makes a group with one limit and removes it. A sweep by another
// controller may take the instance away under our hands, since nobody holds its
// lock: then it is made again, and after that the answer is not conclusive.
func tryGroup(h cgroup.Hierarchy, controller string, limits cgroup.Limits) (string, error) {
	c := h.Controller(controller)
	if !c.OK {
		return "", &cgroup.ControllerError{Controller: controller, Reason: c.Reason, Hint: c.Hint}
	}
	var err error
	for range 3 {
		var notes []string
		notes, err = limitNobody(h, fmt.Sprintf("probe-%d", os.Getpid()), limits)
		if err == nil {
			detail := "below " + c.Base
			if controller == cgroup.Memory {
				for _, n := range notes {
					detail += "; " + n
				}
			}
			return detail, nil
		}
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENODEV) {
			return "", err
		}
	}
	return "", fmt.Errorf("%w: %w", errPassing, err)
}

func limitNobody(h cgroup.Hierarchy, name string, limits cgroup.Limits) (notes []string, err error) {
	i, err := cgroup.NewInstance(h, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	_, err = i.New("one", limits)
	return i.Notes(), err
}
