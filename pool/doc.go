// Package pool keeps sandboxes open ahead of need, so that a claim only sends
// code.
//
// # One kind
//
// A [Pool] holds ready sandboxes of one [Kind]: one backend, one environment,
// one class of limits. What a sandbox learns only when it is claimed –
// identity, inputs, narrower limits – is told by Sandbox.Bind, which the
// claimer calls. A [Set] holds the pools of one backend and routes a Spec to
// the pool of its kind; a Spec that no pool could serve by narrowing is opened
// directly, and so is one that comes from a template: that belongs to one tenant
// and expires.
//
// A Set hands out no more than SetOptions.Most sandboxes at once, over all its
// kinds. Beyond that a claim fails at once with CodeBusy, so that a burst meets a
// clear answer and not a host out of memory.
//
// # Who goes before others
//
// A claim that stands Behind leaves a quarter of Target to the others and opens one
// itself. In the first 25 ms of a claim with Before, until what it claimed is
// destroyed, sandboxes that are opened ahead of need or for who stands Behind wait;
// such claims one upon another hold them up no longer than one does. A cell of a
// session claims nothing, and holds nobody up.
//
// # Promises
//
//   - A sandbox is handed out once. Nothing that was claimed comes back: the
//     claimer gives it to Destroy.
//   - A sandbox is ready only after Open returned without error; one that died
//     while it waited is destroyed, not handed out. A sandbox tells by the
//     optional method Alive() bool.
//   - A claim never waits for the filler: it takes a ready sandbox, where one is left
//     for it, or opens one itself, so a burst opens in parallel and a failing backend
//     is the claimer's error.
//   - The filler keeps Target sandboxes ready, opening at most Fillers at once. It
//     fills a gap when the sandbox that left it is destroyed, which is when its
//     run is over, or at once when fewer than half of Target are ready.
//     After a failure it pauses, twice as long each time, up to MaxPause.
//   - Resize changes Target: what is missing is opened by the filler, what is too
//     much is destroyed, and neither is waited for.
//   - Hold destroys what is ready and refuses every claim until Release: nothing
//     waits in a pool while its house is locked down.
//   - Destroy returns at once while fewer than Destroyers are closing, else it
//     waits for one of them: the stock of half-dead sandboxes is bounded.
//   - After Close no sandbox of the pool is open, no goroutine of it runs, and
//     Claim fails with CodeDraining. What is claimed stays its claimer's.
//
// A claim and a Destroy cost the same whatever number of sandboxes is out.
package pool
