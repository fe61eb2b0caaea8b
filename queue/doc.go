// Package queue decides whose turn it is and how long the wait will be.
//
// # Turns
//
// At most Servers executions run at once. The others wait, each in the line of
// its tenant; lines are served in rotation, so that one tenant's flood moves
// nobody else's wait. Lines and their sum are bounded. Whoever goes away leaves
// at once.
//
// # Refusing
//
// A request is refused when it comes, not when it has waited: with
// CodeRateLimited when its tenant's line is full, with CodeBusy when the wait
// that is predicted is longer than the acceptable one or than the request's
// deadline. Both say when to come again.
//
// # The model
//
// Arrivals at rate λ, service at rate μ, c servers: Erlang-C gives the chance
// to wait and the mean wait; with the squared coefficients of variation of
// arrivals and service measured, Allen and Cunneen's correction. cμ ≤ λ has no
// answer and is refused. From an acceptable wait follows the smallest c, and
// from c how many sandboxes are kept ready.
package queue
