package keep

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// tickPatience bounds the wait for a tick: one lasts 1 to 10 ms. A clock that was
// set back may not get there.
const tickPatience = 20 * time.Millisecond

// probeClock reports whether two changes of one file always have two times, as
// on Linux 6.13 when somebody looked in between.
func (s *Store) probeClock() (bool, error) {
	f, err := open(s.hidden, "clock", unix.O_RDWR|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return false, err
	}
	defer f.Close()
	defer func() { _ = unix.Unlinkat(int(s.hidden.Fd()), "clock", 0) }()
	var last unix.Timespec
	for range 4 {
		if _, err := f.WriteAt([]byte{1}, 0); err != nil {
			return false, fmt.Errorf("probe clock: %w", err)
		}
		st, err := statOf(f)
		if err != nil {
			return false, err
		}
		if st.Ctim == last {
			return false, nil
		}
		last = st.Ctim
	}
	return true, nil
}

// coarse is the clock that files are stamped with.
func coarse() (unix.Timespec, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now); err != nil {
		return now, fmt.Errorf("read clock: %w", err)
	}
	return now, nil
}

// awaitTick returns when an access from now on has another time than t.
func awaitTick(t unix.Timespec) error {
	for waited := time.Duration(0); waited < tickPatience; waited += time.Millisecond {
		now, err := coarse()
		if err != nil {
			return err
		}
		if before(t, now) {
			return nil
		}
		<-time.After(time.Millisecond)
	}
	return nil
}

func before(a, b unix.Timespec) bool { return a.Nano() < b.Nano() }
