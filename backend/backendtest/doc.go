// Package backendtest is the contract that every isolation backend passes:
//
//	func TestMain(m *testing.M) { backendtest.Main(m) }
//
//	func TestContract(t *testing.T) {
//		backendtest.Run(t, backendtest.Setup{Backend: …, Environment: …, Execute: …})
//	}
//
// # What is demanded
//
//	contract/   ordinary programs: every status is reached and told apart, usage
//	            is measured, artifacts, directories, state and random numbers are
//	            those of a fresh sandbox
//	sandbox/    the life of a Sandbox by the interface itself: once bound, once
//	            run, cancelled, closed twice
//	calls/      what code may call outside is answered; what goes past the driver to
//	            call more, or otherwise, ends
//	named/      what the wall refuses and every limit that is met: the observation
//	            names it and the way forward, also from inside libraries
//	abuse/      the hostile corpus of package abuse: each attack meets its end,
//	            each sibling is admitted, each control shows the attack at work
//	usercases/  small programs that users stumbled over (testdata/cases)
//	datasets/   the facts that analyses of real files must give (testdata/cases)
//
// A brief run (Setup.Brief) has sandbox, contract and the starred rows of abuse:
// what depends on who the controller is. The fast tier runs the contract whole as
// root and brief for ordinary users, and each control once, in TestControls; the
// long tier leaves nothing out.
//
// After every attack the invariants must hold: the canary on the host (files, a
// process, listeners) is untouched and unreached; a neighbour that ran at the
// same time ended right; the next run is right and clean; and nothing is left:
// no process, mount, control group, file, System V object or descriptor beyond
// what stood there before; and the controller did not grow by what the attack
// wrote. A pool may refill meanwhile, so counts are compared with those of a
// backend at rest, until they have settled.
//
// # Sessions
//
// Sessions is the contract of a backend that opens sandboxes with Spec.Session:
//
//	state/      what a cell leaves lives on, and comes back when the next one dies;
//	            what cannot come back is told
//	deaths/     every way for a cell to die is followed by one that finds all from
//	            before it; what is no death keeps what was done
//	attacks/    no attempt on a checkpoint gets through, on a child of the cell's
//	            own it does; SessionControls shows those that the gate alone stops
//	            at work on a build that goes without it
//	files/      a cell that dies leaves files as they were, open ones too
//	tree/       checkpoints are listed, bounded, gone back to any number of times
//	calls/      what a cell may call it may call behind a death and a rollback too, and
//	            no cell leaves half an answer in the way of the next
//	cells/      the cases of testdata/cases that are sessions, with a controller
//	life/       100 deaths, 1,000 cells with flat memory and a flat tree (the long
//	            tier), sessions side by side
//	corpus/     the hostile corpus as cells, one session for most of it and one
//	            beside it: the wall is the same one, and the state outlives it
//
// # Templates
//
// Templates is the contract of a backend that parses datasets ahead
// (cellwall.Templater):
//
//	same/       no program can tell a template from a parse in place: the files of
//	            testdata/cases, and files with everything that readers make of files
//	apart/      what one execution or session does to its data no other sees, locks
//	            on its files included
//	attacks/    no way to change the files or the memory of a template works; each
//	            works on what the program owns
//	owner/      a template serves the tenant, rows and environment it was made for
//	life/       with a controller and package prepared: when one is made, by how
//	            many at once, expired, bounded, dropped, lost, and what cannot be one
//
// # Protections that are missing
//
// Setup.Missing names protections that this run goes without, for instance a
// memory limit without delegated control groups. A case that needs one asserts
// instead that the request is refused with CodeProtectionMissing, and that the
// missing protection is named in the Boundary when AllowDegraded is set. It is
// not run: without its protection it would be an attack on the host.
//
// # Controls and the outer cell
//
// A control runs in an outer cell: a child of the test binary in its own user,
// pid, mount, network, IPC and UTS namespaces, in its own group with memory and
// process limits, on a root that is the environment's with a writable layer of
// memory above it. There the environment's interpreter runs the attack without
// Cellwall's wall, and the attack must show that it works. The outer cell has
// its own canary, loopback and listeners, all of which die with it. Main enters
// the child, which is why TestMain has to call it.
//
// What a control could not show on this host is logged with the kernel's answer.
// As a rule (habit 2) that is only accepted where the kernel lacks the thing. Rows
// of which nothing was shown are counted, and more than abuse.MostUnshown fail.
package backendtest
