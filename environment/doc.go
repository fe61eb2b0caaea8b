// Package environment turns a declaration and its locks into a root file
// system: interpreter, packages, shared libraries and fonts, and nothing else.
//
// # Declaration and locks
//
// A [Catalog] holds one directory per environment:
//
//	NAME/environment.toml    what is wanted: [Declaration]
//	NAME/debs.lock           what that means for Debian packages: one
//	                         "name version sha256 size filename" a line
//	NAME/requirements.lock   the same for Python packages, in the hash-checking
//	                         form of pip and uv, one wheel each
//
// Every lock is complete: an environment with a parent repeats the parent's
// lines, and each environment has one root of its own. What is shared is the
// cache of downloads, not files of a running root.
//
// # Root and digest
//
// The [Manifest] of a root lists every entry below it, sorted by path, with
// mode, size, SHA-256 and link target. The digest is the SHA-256 of that text.
// Times and owners are no part of it, bytecode is compiled with unchecked
// hashes by the root's own interpreter, and nothing that is written names the
// host, so two builds of one lock on two hosts agree.
//
// Inside: /usr/bin/python3.13 (also as python3), packages in
// /usr/lib/python3/dist-packages, fonts in /usr/share/fonts, a minimal /etc
// with the user cellwall (uid 1000), a time zone database, and the empty mount
// points /proc, /dev, /dev/shm, /tmp, /workspace/input, /workspace/output and
// /run/cellwall/driver. There is no shell, no compiler, no installer, and no
// setuid file.
//
// [MatplotlibDir] holds matplotlib's configuration and font cache. matplotlib
// wants to write beside them, so whoever starts the interpreter copies the
// directory to a writable place and sets MPLCONFIGDIR. [OnDemandDir] holds
// packages that must not be found while pandas is imported (pyarrow: pandas
// would load it at once, at the price of memory and a thread); whoever starts
// the interpreter appends it to sys.path after the warm-up.
//
// # Store
//
// A [Store] keeps what was built below its directory:
//
//	NAME.json               which root NAME is: written last, atomically
//	roots/sha256-HEX/root   the root file system
//	roots/sha256-HEX/manifest
//	locks/NAME              held while NAME is built or its locks are renewed
//	locks/.roots            held while a root gets its name or is removed
//	build/NAME.RANDOM       an unfinished build; removed by the next one
//	declarations/NAME       locks renewed by Update; they win over the built-in
//
// A build makes its root below build/ and renames it: whoever looks sees the
// old environment or the new one. Two builds of one name at once: the second
// waits, says so, and finds the work done. Downloads are kept by SHA-256 in a
// cache, so a build that was interrupted goes on where it was, and a filled
// cache needs no network. A root is never changed or removed by a build, since
// sandboxes may be using it; [Store.Prune] removes those without a name. (The
// exception is a root that no longer matches its manifest: it makes way.)
//
// # Where things come from
//
// Addresses are the host's, never ours. Debian packages come through the
// host's apt and the mirror its configuration names (or [Options].Mirror),
// Python packages through pip and the index its configuration names (or
// [Options].Index). pip itself is a locked Debian package, run by the root's own
// interpreter, so the host needs neither pip nor venv. Both clients read
// proxies and certificates from where they always do.
//
// Every file is checked against the SHA-256 of the lock. A package that the
// mirror no longer has (after a point release) is replaced by the suite's
// current version, found through the index that apt verified with the host's
// Debian keyring, and the build says that its digest differs.
//
// # Errors
//
// What a person will read is a [*cellwall.Error]: CodeEnvironmentMissing when a
// name is unknown or not built, CodeConflict when a root differs from its
// manifest, CodeTooLarge when a root exceeds its bound, CodeInternal for the
// rest, each with a hint. A cancelled context is returned as its cause.
package environment
