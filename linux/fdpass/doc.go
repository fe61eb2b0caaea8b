// Package fdpass sends and receives open descriptors over unix sockets
// (SCM_RIGHTS), bounded and close-on-exec from the first moment.
package fdpass
