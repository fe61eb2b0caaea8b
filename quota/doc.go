// Package quota counts what a session, a subject or a tenant uses, and stops it
// when its budget says stop (M3).
//
// A [Meter] is one holder's. Before an execution it is asked, after it it is told:
//
//   - Executions: how many have run. What was refused before it ran is none.
//   - Failures: how many in a row did not end ok, refused ones included. One
//     that ended ok begins the count anew; one that its caller cancelled, or
//     that failed by our own fault, is passed over.
//   - Time: the wall clock of all of them together.
//   - TokenCost: what the caller says it paid, in the caller's unit.
//   - SameError: how many failures in a row were of one class: the type of the
//     exception, or the status where there is none.
//
// A budget that is reached stays reached: the answer is the same stop from then
// on, never another try. A bound of zero, or one that is no number, is none. The
// bounds are looked at in the order above, and the first that is reached is
// told; what would help is put into words by package observe.
package quota
