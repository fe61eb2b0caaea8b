package native

import (
	"encoding/binary"

	"github.com/cellwall/cellwall/linux/ns"
)

// safeguard is one of those that a test build can take away, see without.
type safeguard int

const (
	callFilter safeguard = iota
	pidNamespace
	netNamespace
	ownUser
	memoryGroup
	pidsGroup
	readOnlyRoot
	outputLimit
	descriptorsClosed
	reseeding
	snapshotGate
	snapshotCage
)

// allowEverything is a filter in name only: BPF's "return ALLOW".
func allowEverything() []byte {
	code := binary.NativeEndian.AppendUint16(nil, 0x06)
	return binary.NativeEndian.AppendUint32(append(code, 0, 0), 0x7fff_0000)
}

// kept leaves the network namespace out of kinds where that is taken away.
func kept(kinds int) int {
	if without(netNamespace) {
		return kinds &^ ns.Net
	}
	return kinds
}
