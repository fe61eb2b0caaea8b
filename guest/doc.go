// Package guest is the protocol between the controller and the driver, the
// Python program inside a sandbox, and the driver itself (driver/, embedded).
//
// # Transport
//
// One unnamed SOCK_STREAM socket pair per sandbox. Both directions carry
// frames: a big-endian uint32 length of the payload, one byte of kind, the
// payload. A payload is at most [MaxFrame] bytes. Payloads are JSON documents
// in UTF-8; unknown fields, unknown kinds, trailing bytes, invalid UTF-8 and
// nesting deeper than [MaxDepth] are protocol errors. A protocol error ends
// the sandbox; nothing is skipped or repaired.
//
// Standard output and error are not frames: they are pipes, so that child
// processes and C code are heard as well. The controller reads and counts them
// during the run, and to their end once no process of the sandbox can write.
//
// # Life of a sandbox
//
//	guest                      host
//	 | setup failed ('Q')  ->   |   a step of the wall failed; then EOF
//	 | hello ('H')         ->   |   the wall stands; carries the listener of
//	 |                          |   the filter as SCM_RIGHTS
//	 |              <- run ('R')|   the first byte that a user or model wrote
//	 | value ('V') error ('E')  |
//	 | datasets ('D') tables ('T')
//	 | notice ('N')        ->   |   any number, in order
//	 | done ('Z')          ->   |   the code ended, by the driver's own word
//
// The kind 'I' is reserved; today it is a protocol error. So are the kinds of a
// session outside of one.
//
// Hello carries protocol, driver, language and features. The host refuses a
// protocol other than [Protocol], and a session without the feature "session".
//
// Run, begin and cell may carry restrict, what the restricted interpreter keeps from
// the code; it is advice, and nothing outside believes that it held.
//
// Run may carry own, which says that the program is the host's: it finds its tables in
// sources and says which columns it wants of a large file, of which no datasets are told.
//
// # Life of a session
//
//	live interpreter              host
//	 | hello ('H')            ->   |  as above
//	 |           <- begin ('B')    |  once; answered like a cell
//	 |           <- cell ('X')     |  one at a time
//	 | V E D T N, done ('Z')  ->   |  as above; the state lives on
//	 |           <- take ('K')     |  after done; carries the snapshot's channel.
//	 |                             |  The interpreter forks, drops that channel
//	 |                             |  and goes on reading: it answers nothing
//	 |           <- ask ('Y')      |  between cells
//	 | answer ('J')           ->   |
//	 |           <- export ('O')   |  to one that came from a snapshot and is for
//	 |                             |  nothing else; carries a descriptor, to which
//	 |                             |  the state is written
//	 | written ('W')          ->   |
//
//	snapshot                      host
//	 | standing ('S')         ->   |  once
//	 |           <- resume ('G')   |  any number of times; carries the channel of
//	 |                             |  a new live interpreter, which the snapshot
//	 |                             |  forks; it stays what it is itself
//	 (end of file: the snapshot is let go and exits)
//
//	interpreter from a snapshot   host
//	 | up ('U')               ->   |  on the channel that came with resume; then as
//	 |                             |  a live interpreter, without hello or begin
//
// A snapshot and a resumed interpreter are sisters of the interpreter that the
// zygote forked: children of the warden. Who speaks on a channel is told by the
// kernel (SCM_CREDENTIALS of the first frame), never by a payload. Interruption
// is SIGINT, no frame. The readers count anew with each cell.
//
// # Calls
//
// Run and cell may name tools, functions of the host. While the code runs
//
//	code                     host
//	 | call ('C')       ->   |   tools.<name>(...): id, name, arguments
//	 |     <- reply ('A')    |   id, and a value, a table or an error
//
// Ids are 1, 2, 3 … of a run; replies come in any order. The host reads on while it
// answers. At most [MaxCalls] calls wait for their reply at once and a call has at most
// [MaxCall] bytes: the driver keeps to both, so that more is a protocol error, and so is
// a call where the run was given no tools. A call that comes when the host has ended the
// run is forgotten.
//
// Who waits for a reply reads the channel, and only the bytes of that frame: calls.py.
// Half a reply that was under way when a cell ended comes whole before the next frame,
// and an interpreter that meets a reply between cells forgets it.
//
// # A template
//
// Run with describe and export parses the inputs and writes them, as columns, to
// /workspace/output/template, which the host takes once nobody can write there
// any more. It reads nothing of it: template/ in another zygote does, and
// trusts no byte.
//
// # A state for another sandbox
//
// What export writes begin reads in another sandbox, with state and a descriptor
// of its own. The host passes bytes on, counts them, and reads nothing of it: it
// is pickles and tar, which only who is behind a wall himself may open. freight.py
// says how it is put together.
//
// # Trust
//
// Nothing that a call says is authority: the host holds name and arguments to what it
// registered for this execution, and counts them (package controller). A reply is JSON
// that the host has checked to be one value; a table is made of it inside.
//
// User code shares the process with the driver: every frame after run may be
// forged, and so may done. Frames therefore carry only what the code may claim
// about itself – values, its own error text – and never a verdict: status and
// cause come from the kernel ([cellwall.End]). A run may send at most
// [MaxFrames] frames and [MaxRunBytes] bytes. A few bytes of JSON can be a
// hundred bytes in Go: a value has at most [MaxMembers] types, a notice as many
// arguments, and there are as many tables, datasets and losses at most; an
// answer has at most [MaxAnswers] variables and matches.
//
// A cell can spoil the checkpoint that is taken after it: that state is its own
// work. It reads and changes no earlier one, and a forged standing or up is no
// more than a lie about itself. A snapshot that goes on running has a control
// group of its own, and so takes nothing from earlier ones.
package guest
