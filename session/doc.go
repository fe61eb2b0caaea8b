// Package session keeps interpreters alive between cells: who owns one, whose
// turn it is, what ran in it, and when it ends.
//
// [Sessions] opens them and finds them again; a [Session] is one of them. What
// runs a cell is handed in as [Live], by whoever wires the rooms.
//
// # Turns
//
// One call is inside a session at a time, the others wait in the order in which
// they came, at most Options.Queue of them; the next one is told CodeBusy. A
// caller whose context ends leaves the queue, and nothing of its cell has run.
//
// What changes the state from outside – Rollback, Undo, Branch, Pause – does
// not wait: while a cell runs or waits it fails with CodeConflict, and the
// state is untouched. [Session.Drop] cancels that cell, turns away those that
// wait, and goes back. What only looks – Ask, Checkpoints, Files – waits for its
// turn as a cell does. Interrupt waits for nobody.
//
// # Life
//
// A session ends when it is closed, when nobody used it for Options.Idle, when
// it is Options.Total old, or when a cell died and nothing could be restored.
// A paused session is not idle. A cell that runs at the end is cancelled and
// answers so. Every later call fails with CodeConflict and wraps
// cellwall.ErrSessionOver; the hint says why it ended, and so does Get for the
// latest [Remembered] sessions. Whoever holds a Session that ended still reads
// its history.
//
// CreateFor gives a session a shorter life than Options have. A tenant has at most
// Options.PerTenant sessions, or what Options.Most says. Another tenant's session is
// not found, as if there were none.
//
// # Numbers and history
//
// Cells that run are numbered from 1; a number is given once, also after a
// rollback, so that a traceback names one cell. What was refused before it ran
// takes none.
//
// [Session.History] tells every cell in order, and of each whether the live
// state grew from it: a cell that died, and those that a rollback went behind,
// left nothing in it. Of all outputs together Options.HistoryBytes are kept, the
// oldest go first; at most Options.History cells are.
//
// # Branches
//
// A branch is a name for a line of checkpoints. A session begins on [Main].
// Branch with a new name lets the live state go on under it; with a known one
// it goes to that branch's newest checkpoint, with random generators reseeded
// that the code did not seed itself. One branch is live at a time. There are
// at most as many as checkpoints (Limits.Checkpoints). A branch whose
// checkpoint was dropped is told as such and cannot be gone to.
//
// # Files
//
// Put and Remove change files below /workspace/output between cells, as whoever
// the workspace belongs to; Open reads one. A cell does not deliver as an artifact
// what was put there before it. Files belong to the state: a rollback to a
// checkpoint before Put takes them away.
//
// A branch that is to live beside its origin is a session of its own, made by
// [Session.Beside]: its sandbox is fresh, its wall whole, and the state came to it as
// bytes that nobody outside a wall has read. What cannot be carried is named. Such a
// session has one budget with the one that it came from.
//
// # Budgets
//
// Before a cell the session asks its [Meter]. When a budget is reached the cell
// does not run: its Result is refused, and its observation is a structured stop.
package session
