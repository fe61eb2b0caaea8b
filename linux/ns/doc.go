// Package ns makes and enters namespaces from Go.
//
// Namespaces belong to threads. Whoever calls [Unshare] or [Enter] does so on a
// locked thread that never becomes another goroutine's, so that what is left
// behind – an unshared mount table, a joined group – leaks into none. User namespaces cannot be entered by a Go process at all (the
// kernel wants a single thread); they are made at clone.
package ns
