//go:build !race

package native_test

// overhead is how many bytes this process takes for one of the program's.
const overhead = 1
