// Package queue decides whose turn it is and how long the wait will be.
//
// # Turns
//
// At most Servers executions run at once. The others wait, each in the line of
// its tenant. The line that was served least is next: each turn is charged to its
// tenant by the time that it took, so neither many requests nor long ones move
// another tenant's wait. A tenant that comes back begins where the others are; what
// it did not use meanwhile is gone.
//
// While more than one tenant is here, nobody has all turns: one is left for those
// who come. A tenant is here from its first request until Remembered after its
// last. Lines and their sum are bounded. Whoever goes away leaves at once.
//
// # Refusing
//
// A request is refused when it comes, not when it has waited: with
// CodeRateLimited when its tenant's line is full, with CodeBusy when all lines
// together are, or when the wait that is predicted is longer than the acceptable
// one or than the request's deadline. All of them say when to come again: when the
// lines ahead are predicted to be empty, later by up to a quarter so that not all
// come at once, within 1 to 60 seconds.
//
// The prediction of one request: those who are served before it, times the mean
// time of a turn (of the latest ones, or the age of those that run, when they are
// older), by Servers. Before the first turn has ended nothing is known and nobody is
// refused for it.
//
// # The model
//
// Arrivals at rate λ, service at rate μ, c servers: [Erlang] gives the chance to
// wait and the mean wait; [Model.Corrected] has the correction of Allen and
// Cunneen, with the squared coefficients of variation of arrivals and service as
// they are measured. cμ ≤ λ has no answer and is refused with [ErrSaturated].
// Over 200,000 arrivals it is within 7 % of the mean wait for even and exponential
// service; for service with a squared coefficient of 5.5 it says too much, by 7 to 13 %
// of the wait from 65 % utilization on and by a quarter at 50 %.
//
// [Servers] is the smallest c whose mean wait is acceptable. [Queue.Stats] holds
// the model beside what was seen, over the latest Window.
//
// # Cost
//
// A turn without a wait takes about a microsecond, a refusal less
// (BenchmarkEnter, BenchmarkRefuse); both are the same for any number of tenants.
package queue
