package main

import (
	"fmt"
	"os"
	"syscall"
)

// stepsVerb makes the binary take the steps, as a child of process 1.
const stepsVerb = "steps"

func main() {
	if len(os.Args) > 1 && os.Args[1] == stepsVerb {
		if err := takeSteps(); err != nil {
			say("%v", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if err := boot(); err != nil {
		say("%v", err)
	} else if err := attend(); err != nil {
		say("%v", err)
	} else {
		say("done")
	}
	syscall.Sync()
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_RESTART) // QEMU ends instead: -no-reboot
}

func say(format string, args ...any) { fmt.Printf("vm: "+format+"\n", args...) }

// attend starts the child that takes the steps, and reaps whatever the kernel
// gives to process 1 until that one has ended.
func attend() error {
	child, err := syscall.ForkExec("/init", []string{"/init", stepsVerb}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin", "HOME=/tmp"}, Files: []uintptr{0, 1, 2},
	})
	if err != nil {
		return fmt.Errorf("start steps: %w", err)
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return fmt.Errorf("wait for steps: %w", err)
		case pid == child && status.ExitStatus() != 0:
			return fmt.Errorf("take steps: status %#x", int(status))
		case pid == child:
			return nil
		}
	}
}
