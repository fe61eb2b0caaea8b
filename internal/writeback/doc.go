// Package writeback brings what was written to a file to the disk a moment later:
// one sync serves all that was written in the meantime.
//
// Who wrote is answered before the sync. What he wrote outlives his process,
// however that ends, and [Within] later also the machine's power.
package writeback
