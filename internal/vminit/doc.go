// Command vminit is the first process of the emulated machine in which the
// tests meet another kernel than the host's (scripts/vm): control groups
// version 2 with every controller, Landlock, and a release that can be chosen.
//
// It loads the modules of the initial file system, puts a root together –
// memory, with the test binaries below /guest and an environment where its own
// store has it, both read-only disks – and moves there, since a warden pivots
// and nobody can pivot away from the initial file system. Then it takes the
// steps of /guest/plan.json one after the other, says on the console how each
// ended, and switches the machine off.
//
// Every line of its own begins with "vm: ". The last one is "vm: done"; a guest
// that did not print it has failed, whatever QEMU's exit status is.
//
// A step with Delegated runs as an ordinary user who lives in a control group
// that was given to him, as a service manager would with Delegate=yes.
package main
