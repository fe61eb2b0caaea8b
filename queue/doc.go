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
// last. Lines and their sum are bounded. Whoever goes away leaves at once, and gets
// no turn that comes free at that moment.
//
// A turn says how its tenant stands beside the others when it begins: [cellwall.Before]
// when it is the tenant's only request here, comes after a pause as long as the
// tenant's latest turn, and another tenant has many, run or wait; [cellwall.Behind] when
// the tenant has many here and others are here. Many are as many as would have all
// turns. Having a turn is not all: who serves it decides by that who is first where
// processors and ready sandboxes are too few.
//
// # Refusing
//
// A request is refused when it comes, not when it has waited: with
// CodeRateLimited when its tenant's line is full, with CodeBusy when all lines
// together are, or when the wait that is predicted is longer than the acceptable
// one or than the request's deadline. All of them say when to come again: when the
// lines ahead are predicted to be empty, in whole turns, later by up to a quarter so
// that not all come at once, within 1 to 60 seconds.
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
// Cunneen, with the squared coefficients of variation of arrivals and service. cμ ≤ λ
// has no answer and is refused with [ErrSaturated]. [Servers] is the smallest c
// whose mean wait is acceptable.
//
// [Queue.Stats] holds the model beside what was seen, over the latest Window. It
// measures four things besides that Erlang takes for granted:
//
//   - That a server is as fast beside others as alone. Sandboxes share processors:
//     two on two cores took 18 ms each where one took 9, and waits were three times
//     as long as Erlang's from the mean, and slower still where a line has used up
//     the sandboxes that were opened ahead. So it is measured how many turns end per
//     second while 1, 2 … requests are here, run or wait, and [Loaded] is the model
//     for such rates: for the arrivals that were seen it is right by the balance of
//     its states, for others it tells what to expect. What is left to correct is how
//     even arrivals are. Where the rates are those of independent servers, the model
//     is Erlang's. Uneven turns by themselves look slower among many than alone; what
//     that explains is not believed.
//   - That one service says nothing about the next. When a machine is slow for a
//     while, many turns in a row are. So the variation is that of sums of as many
//     requests in a row as decide the wait at this utilization (robust queueing of
//     Whitt and You); for independent ones it is ca² + cs².
//   - That a free server is for whoever waits. While others are here a tenant leaves
//     one for them: so many more wait, in the mean of each length of the line.
//   - That all who come stay. λ is of those who do: whoever is cancelled, passes its
//     deadline or is given back by a shutdown while it waits is measured as if it had
//     never come, which is known when it goes; so figures are as old as the longest
//     wait, up to a quarter of the Window. Who had a turn has stayed, also when its run
//     was cancelled then. But those who are refused or go do so because many are here,
//     and that keeps the line short, as no constant λ would. While they are few, less
//     than a twentieth of what the servers could do besides, the model is a little too
//     high (7 % where it was a 25th). Where they are more, [Model] holds what was seen and the wait that
//     is shown as predicted is the mean that was seen: it foretells nothing then.
//
// On a clock of its own, over 100,000 arrivals and more, the corrected prediction is
// within 7 % of the mean wait for even, exponential and uneven (cs² = 5.5) service
// from 65 to 90 % utilization, and within 5 % on servers that share one processor or
// are slow for a while; for uneven service at 50 % it says a quarter too much, as
// Allen and Cunneen do. Refusals and Retry-After come from the lines as they stand,
// not from this model.
//
// # Cost
//
// A turn without a wait takes about a microsecond, a refusal less
// (BenchmarkEnter, BenchmarkRefuse); both are the same for any number of tenants.
package queue
