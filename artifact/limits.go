package artifact

import "github.com/cellwall/cellwall"

// Limits bounds a harvest. Zero means the product's default.
type Limits struct {
	Bytes      int64 // of one artifact; default 32 MiB
	TotalBytes int64 // of all together; default 64 MiB
	Count      int   // artifacts; default 64
	Rows       int   // of a table; default 10,000, negative means any number
	Archives   bool  // take zip, gzip and tar, whose contents no cap reaches
}

// LimitsOf takes the caps of an execution. The row cap is the default: what may
// come in (Limits.Rows) does not say what may go out.
func LimitsOf(l cellwall.Limits) Limits {
	l = l.WithDefaults()
	return Limits{Bytes: l.ArtifactBytes, TotalBytes: l.ArtifactTotalBytes, Count: l.Artifacts, Rows: defaultRows}
}

const defaultRows = 10_000

func (l Limits) withDefaults() Limits {
	d := cellwall.DefaultLimits()
	if l.Bytes == 0 {
		l.Bytes = d.ArtifactBytes
	}
	if l.TotalBytes == 0 {
		l.TotalBytes = d.ArtifactTotalBytes
	}
	if l.Count == 0 {
		l.Count = d.Artifacts
	}
	if l.Rows == 0 {
		l.Rows = defaultRows
	}
	return l
}
