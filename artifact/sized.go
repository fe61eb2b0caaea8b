package artifact

import (
	"strconv"
	"strings"

	"github.com/cellwall/cellwall"
)

// sized is a number of bytes as people read it.
func sized(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 10 * cellwall.MiB, " GiB"}, {cellwall.MiB, " MiB"}, {cellwall.KiB, " KiB"}} {
		if n >= unit.bytes {
			return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(unit.bytes), 'f', 1, 64), ".0") + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// over says that so many bytes are more than may be, exactly where people would read the
// same of both.
func over(n, most int64) string {
	is, may := sized(n), sized(most)
	if is == may {
		is, may = strconv.FormatInt(n, 10)+" bytes", strconv.FormatInt(most, 10)
	}
	return is + " are more than the " + strings.TrimSuffix(may, " bytes")
}
