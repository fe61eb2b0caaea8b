//go:build race

package native_test

// overhead is how many bytes this process takes for one of the program's, by
// what the race detector's documentation calls typical: 5 to 10.
const overhead = 10
