package native

import "github.com/cellwall/cellwall/linux/cgroup"

// moveOn takes another slot when the groups of this one stand after the sweep:
// a process that the kernel cannot end is in them. Their names would be met
// again, and the process may be of one of the slot's users. Whoever sweeps later
// tries again.
func (b *Backend) moveOn() error {
	var left []*instance // held meanwhile, so that the next is another
	defer func() {
		for _, i := range left {
			i.close()
		}
	}()
	for cgroup.Stands(b.hierarchy, b.instance.name()) {
		next, err := takeInstance(b.stateDir)
		if err != nil {
			return err
		}
		b.logger.Warn("leave a slot whose groups cannot be removed", "groups", b.instance.name(), "instead", next.name())
		left, b.instance = append(left, b.instance), next
	}
	return nil
}
