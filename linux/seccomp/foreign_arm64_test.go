package seccomp

const hostArch = ARM64

// foreignCall: a 64-bit program cannot make 32-bit calls on arm64.
func foreignCall(uint32) string { return "ENOSYS" }
