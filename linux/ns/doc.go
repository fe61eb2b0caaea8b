// Package ns makes and enters namespaces from Go.
//
// Namespaces belong to threads. [OnOwnThread] runs a function on a thread that
// nothing else uses and that ends with it, so that what the function leaves
// behind – an unshared mount table, a joined group – cannot leak into other
// goroutines. User namespaces cannot be entered by a Go process at all (the
// kernel wants a single thread); they are made at clone.
package ns
