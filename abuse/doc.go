// Package abuse is the hostile corpus as data: programs that try to get out of
// a sandbox, to bring its host down or to lie about how they ended, each with
// the end that it must meet. There is no testing in it: backend/backendtest runs
// it against every backend, and the pentest verb runs it against a host.
//
// # A case
//
// A [Case] is one row of the catalogue of hostile behaviours; its ID is the
// row's letter and number:
//
//	F  files                       files.go and files_….go
//	N  network and channels        network.go
//	R  resources, processes, kernel resources.go and resources_….go
//	D  interpreter, zygote, protocol interpreter.go
//	O  output and artifacts        output.go
//
// It holds three things, and a green attack alone proves nothing:
//
//   - the attack and the end it must meet ([Expect]);
//   - a positive control ([Control]): the same program with the protection
//     taken away, in a disposable outer cell, where it must succeed. What a host
//     cannot show is recorded with its proof and is "not measured", not "held";
//     at most [MostUnshown] whole rows may say so ([Unshown]);
//   - an admitted sibling: a harmless program that resembles the attack and must
//     end ok, so that refusing too much fails as well.
//
// A row that no wall of this kind holds is not a case: [NotPromised] states it.
//
// # How a program reports
//
// Programs are Python files in programs/, run as they are inside; where the text
// itself is the attack, it is made by a function (Program.Text). Each is
// preceded by programs/prelude.py and by WORLD, a dictionary of what stands
// around the run ([World]). A program reports, one line each, on stdout:
//
//	ESCAPED <attempt> <detail>   the attempt got through
//	HELD <attempt>: <reason>     the attempt was refused, usually the errno's name
//	ADMITTED <detail>            a sibling did what it came for
//
// What a program says is never the verdict. An ESCAPED line is an admission
// against interest and always counts; that nothing escaped is also looked for
// outside: the token of the host's canary in anything that came out, connections
// at the host's listeners, and the state of the host ([Facts]). A HELD line only
// proves that the attempt was made: [Judge] asks for each one by name, so an
// attack that never ran cannot pass.
//
// # Harm
//
// Controls run real attacks, but against the outer cell's own files, listeners,
// memory and processes. A program therefore never aims at something that all of
// a machine shares; where the real target is global (the clock, the kernel's
// modules), it attempts the harmless neighbour that passes the same gate.
package abuse
