package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"regexp"
	"syscall"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/audit"
)

// lockdown is what stops all work of a state directory: its file is there, or it
// is not. Every verb that runs code, and every service, looks at it.
type lockdown struct {
	V       int       `json:"v"` // 1
	By      string    `json:"by"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"`
	Pattern string    `json:"pattern,omitempty"` // of code that stays refused afterwards
	Report  string    `json:"report"`            // directory with the evidence
}

func (c *config) lockdownFile() string { return c.inState("lockdown.json") }

// lockdownThere reports whether there is a lockdown, without a look into its file.
func (c *config) lockdownThere() bool {
	_, err := os.Stat(c.lockdownFile())
	return !noLockdown(err)
}

// noLockdown reports whether err says that its file is not there, also where the state
// directory is none: others say that.
func noLockdown(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// lockedDown returns the lockdown in force, nil when there is none. A file that
// cannot be read is one.
func (c *config) lockedDown() *lockdown {
	raw, err := os.ReadFile(c.lockdownFile())
	if noLockdown(err) {
		return nil
	}
	l := &lockdown{}
	if err != nil || json.Unmarshal(raw, l) != nil {
		l.Why = "its file cannot be read"
	}
	return l
}

// refusal is what work is answered with.
func (l *lockdown) refusal(hint string) error {
	return &cellwall.Error{Code: cellwall.CodeLockedDown, Op: "begin work", Err: errors.New("everything is locked down"), Hint: hint}
}

// checkLockdown refuses to run code while there is a lockdown.
func (c *config) checkLockdown() error {
	l := c.lockedDown()
	if l == nil {
		return nil
	}
	return l.refusal(fmt.Sprintf("by %s since %s: %s; end it with cellwall unlock", l.By, l.At.Format(time.RFC3339), l.Why))
}

// lock locks down, records it, waits until stopped says that nothing runs any more,
// and gathers the evidence then: of what was running, too. With an error there is a
// lockdown all the same when it is returned.
func (c *config) lock(l lockdown, since time.Time, stopped func(lockdown) error) (*lockdown, error) {
	const op = "lock down"
	if _, err := regexp.Compile(l.Pattern); err != nil {
		return nil, usage(op, err, "the pattern is a regular expression (RE2) of the code")
	}
	if now := c.lockedDown(); now != nil {
		return nil, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: op, Err: fmt.Errorf("%s has locked down already, at %s", now.By, now.At.Format(time.RFC3339)),
			Hint: "its evidence is in " + now.Report,
		}
	}
	l.V, l.At = 1, time.Now().UTC()
	l.Report = c.inState("incidents/" + l.At.Format("20060102T150405.000Z"))
	if err := os.MkdirAll(l.Report, 0o700); err != nil {
		return nil, stateError(c, err)
	}
	raw, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	// The file comes first: everything else may take its time.
	if err := replaceFile(c.lockdownFile(), raw); err != nil {
		return nil, stateError(c, err)
	}
	return &l, errors.Join(c.block(&l), recordLockdown(c, "lockdown", l.By, l.Why), stopped(l), gatherEvidence(c, l, since))
}

// unlock lets work begin again, and notes it beside the evidence.
func (c *config) unlock(by, why string) (*lockdown, error) {
	l := c.lockedDown()
	if l == nil {
		return nil, &cellwall.Error{Code: cellwall.CodeConflict, Op: "unlock", Err: errors.New("nothing is locked down")}
	}
	if err := recordLockdown(c, "unlock", by, why); err != nil {
		return l, err
	}
	end, err := json.MarshalIndent(lockdown{V: 1, By: by, Why: why, At: time.Now().UTC(), Report: l.Report}, "", "  ")
	if err != nil {
		return l, err
	}
	if l.Report != "" {
		if err := os.WriteFile(l.Report+"/unlock.json", end, 0o600); err != nil {
			return l, stateError(c, err)
		}
	}
	if err := os.Remove(c.lockdownFile()); err != nil {
		return l, stateError(c, err)
	}
	return l, nil
}

// operation is the record of what an operator did.
type operation struct {
	V    int       `json:"v"` // 1
	ID   string    `json:"id"`
	Kind string    `json:"kind"` // lockdown, unlock
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Why  string    `json:"why"`
}

func recordLockdown(c *config, kind, by, why string) error {
	log, err := audit.Open(c.records())
	if err != nil {
		return stateError(c, err)
	}
	defer log.Close()
	now := time.Now()
	return log.Append(now, operation{V: 1, ID: cellwall.NewID(cellwall.PrefixCall), Kind: kind, At: now.UTC(), By: by, Why: why})
}

// whoAmI names the user of the command line.
func whoAmI() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint("uid ", os.Getuid())
}
