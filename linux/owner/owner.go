package owner

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// ID is whose files these are, in numbers of this process's user namespace.
type ID struct{ UID, GID int }

// Do calls f on a thread that touches files as their owner. A thread that
// cannot become itself again is not used any more.
func (o ID) Do(f func() error) error {
	uid, gid := unix.Geteuid(), unix.Getegid()
	if o.UID == uid && o.GID == gid {
		return f()
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		err := become(o.UID, o.GID)
		if err == nil {
			err = f()
		}
		back := become(uid, gid)
		if back == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// become sets who the calling thread is to the file system. The calls report
// nothing: asking for nobody tells who one is.
func become(uid, gid int) error {
	for _, set := range []struct {
		call func(int) (int, error)
		id   int
		name string
	}{{unix.SetfsgidRetGid, gid, "group"}, {unix.SetfsuidRetUid, uid, "user"}} {
		if _, err := set.call(set.id); err != nil {
			return fmt.Errorf("touch files as %s %d: %w", set.name, set.id, err)
		}
		if is, err := set.call(-1); err != nil || is != set.id {
			return fmt.Errorf("touch files as %s %d: %w", set.name, set.id, unix.EPERM)
		}
	}
	return nil
}
