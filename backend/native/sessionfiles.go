package native

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/linux/keep"
	"github.com/cellwall/cellwall/linux/openat"
)

// The two directories on the file system of a session's workspace.
const (
	workDir = "work" // what the session sees as workspaceDir
	keepDir = "keep" // checkpoints of it
)

// lostNames is how many characters of names a notice has.
const lostNames = 200

// keptFiles is what a checkpoint has of the workspace.
type keptFiles struct {
	ok      bool  // they can go back
	bytes   int64 // copied for it
	changed []string
	over    []string // newly found to be too large
	why     error    // not ok
}

// openFiles starts to keep the workspace, where checkpoints are taken at all.
func (s *session) openFiles() (err error) {
	if s.cages == nil {
		return nil
	}
	s.files, err = keep.Open(s.opened.hidden, keep.Options{
		Work: workDir, Hidden: keepDir,
		Bytes: s.limits.WorkspaceBytes, Inodes: s.limits.WorkspaceInodes, Budget: s.limits.CheckpointBytes,
		Order: s.tree.expendable,
	})
	return err
}

// workspace is the output directory without a trace of what is kept of it.
func (s *session) workspace() *openat.Dir {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.output == nil {
		s.output = openat.FS(int(s.opened.output.Fd()))
		if s.files != nil {
			s.output.Discount(s.files.Holds)
		}
	}
	return s.output
}

// keepFiles takes the files of a checkpoint while its snapshot is being born.
// What it returns waits for it.
func (s *session) keepFiles(id string) (wait func() keptFiles) {
	done := make(chan keep.Taken, 1)
	mapped := s.files.Mapped(s.group.Members) // before anybody hides himself to be forked
	go func() {
		taken, err := s.files.Take(id, mapped)
		if err != nil {
			taken.Complete, taken.Reason = false, err
		}
		done <- taken
	}()
	return func() keptFiles {
		taken := <-done
		if !taken.Complete {
			s.backend.logger.Warn("keep files", "checkpoint", id, "error", taken.Reason)
		}
		s.strip(taken.Stripped)
		return keptFiles{ok: taken.Complete, bytes: taken.CopiedBytes, changed: taken.Changed, over: taken.Over, why: taken.Reason}
	}
}

// tellFiles has the next cell told which files would not go back with it.
func (s *session) tellFiles(kept keptFiles) {
	switch {
	case !kept.ok && kept.why != nil:
		s.notice(filesNotKept, "reason", shownNames([]string{kept.why.Error()}))
	case len(kept.over) > 0:
		s.notice(filesLeftOut, "count", strconv.Itoa(len(kept.over)), "names", shownNames(kept.over))
	}
}

// strip notes which checkpoints lost their files to make room.
func (s *session) strip(ids []string) {
	for _, n := range s.tree.nodes {
		if slices.Contains(ids, n.id) {
			n.files = keptFiles{}
		}
	}
}

// restoreFiles makes the files those of a checkpoint. No process of the cells
// lives. What it could not bring back it names.
func (s *session) restoreFiles(n *node) (ok bool, lost []cellwall.Notice) {
	if !n.files.ok {
		return false, nil
	}
	restored, err := s.files.Restore(n.id)
	if err != nil {
		s.backend.logger.Warn("restore files", "checkpoint", n.id, "error", err)
		return false, nil
	}
	names := slices.Concat(restored.Missing, n.files.changed)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 0 {
		lost = append(lost, cellwall.Notice{Code: cellwall.LostFiles, Args: map[string]string{
			"count": strconv.Itoa(len(names)), "names": shownNames(names),
		}})
	}
	return true, lost
}

// forgetFiles lets go of the files of a checkpoint.
func (s *session) forgetFiles(id string) {
	if err := s.files.Drop(id); err != nil {
		s.backend.logger.Warn("forget files", "checkpoint", id, "error", err)
	}
}

// shownNames lists names that a sandbox chose.
func shownNames(names []string) string {
	text := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.Join(names[:min(len(names), lostNames)], ", "))
	if runes := []rune(text); len(runes) > lostNames {
		return string(runes[:lostNames-1]) + "…"
	}
	return text
}
