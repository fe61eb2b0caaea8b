// Package fdpass sends and receives open descriptors over unix sockets
// (SCM_RIGHTS), bounded and close-on-exec from the first moment, and tells who
// sent what was read (SCM_CREDENTIALS).
package fdpass
