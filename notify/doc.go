// Package notify tells tenants what happened: an event stream for each, signed
// webhooks, and alert rules over verdicts, refusals and the queue.
//
// # Promises
//
//   - An event is kept before it is told; a stream goes on after the last event
//     that its reader names.
//   - What happens to an execution or a session is kept in one step with it: no
//     death of the service loses its event. See [Bus.Kept].
//   - Others ([Bus.Tell]) wait in a bounded line. One that the line has no room for,
//     or that was in it when the service was killed, is lost, and counted.
//   - A webhook is signed as Standard Webhooks says (HMAC-SHA256 over id, time and
//     body) and tried again with growing pauses until it is taken, 8 times within
//     24 hours; at least once, perhaps twice.
//   - A webhook leads to no address of this host or its private networks unless
//     the operator allows it, checked on the address that is dialled. No
//     redirect is followed, no proxy used, and nothing of an answer but its status
//     is kept.
//   - An event holds ids, statuses and counts; no code, no data.
//
// # Kinds of events
//
//	execution.done, execution.refused     of single executions and cells
//	execution.lost                        left behind, and running when the service died
//	session.opened, session.ended         the end with why, cpu_ms of its cells and between_cpu_ms beside them
//	tenant.quarantined, tenant.released
//	lockdown.begun, lockdown.ended
//	approval.requested, approval.decided, approval.expired
//	alert.raised, alert.cleared
//
// # Alert rules
//
// A rule counts what happens to its tenant in a window, the operator's what
// happens to everybody, and is raised when that is more than it allows: once,
// until it is not any more. Counts are those of this process and begin anew with
// it. See [Rule].
package notify
