// Package quota knows who calls, what they may have and what they used (M3, M34,
// M42).
//
// # The desk
//
// A [Desk] answers from memory: it holds every tenant and key, looks each half
// second whether the [Book] has changed, and writes what was used each second.
// Tenants of the configuration win over those of the book, by their name; a state
// other than active holds wherever it is set. Rates, concurrency and budgets are
// those of one service process.
//
//   - Authenticate: the hash of what was sent is always computed, looked up, and
//     compared in constant time; a key that is unknown, expired, revoked or of a closed
//     tenant takes the same way to the same error.
//   - Take: one request against the rates of its subject and its tenant.
//   - Narrow: what a request leaves open is filled from the tenant's terms; what is
//     more than they allow is CodeForbidden and names the field.
//   - Enter: budgets, then concurrency; never blocks. What it gives has to be given
//     back by leave, which counts what was used.
//   - Between: what a session used beside its cells, which no leave counts.
//   - Watch: executions that hit the wall, in a window of time. Too many put the
//     tenant into quarantine: it reads, and runs nothing until an operator has looked.
//
// A subject is a name in the books of its tenant; a request that names none is
// held to the bounds of its tenant only. Subjects that are idle are forgotten, except for
// their budgets; a tenant with too many that are not is refused more.
//
// The tenant "local" is there without a row: an operator without bounds.
//
// # Keys
//
// A key is "e2b_" and 40 hexadecimal digits, 160 random bits. Only its SHA-256 is
// kept: there is nothing to guess, so nothing slower is needed. No key exists
// until somebody makes one.
//
// # Budgets
//
// A [Meter] is one holder's. Before an execution it is asked, after it it is told:
//
//   - Executions: how many have run. What was refused before it ran is none.
//   - Failures: how many in a row did not end ok, refused ones included. One
//     that ended ok begins the count anew; one that its caller cancelled, or
//     that failed by our own fault, is passed over.
//   - Time: the wall clock of all of them together, and the processor time that
//     sessions used between their cells, as soon as it is known: what was left
//     running there costs what it would in a cell.
//   - TokenCost: what the caller says it paid, in the caller's unit.
//   - SameError: how many failures in a row were of one class: the type of the
//     exception, or the status where there is none.
//
// A budget that is reached stays reached: the answer is the same stop from then
// on, never another try, until the period of a tenant's or subject's budget is
// over. A bound of zero, or one that is no number, is none. The
// bounds are looked at in the order above, and the first that is reached is
// told; what would help is put into words by package observe. Executions that run
// count as such already, so that many at once do not pass the bound together.
//
// # Cost
//
// Authenticate, Take, Narrow, Enter and leave together take a few microseconds
// (BenchmarkDesk).
package quota
