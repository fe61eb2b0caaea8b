package observe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwall/cellwall"
)

// largeShare is the part of the memory limit from which on a file is too large to be
// read at once: a table takes several times the room of its file.
const largeShare = 16

// partsOfLargest is the code that reads the largest input in parts and few columns of
// it, "" when none is large.
func (o *observer) partsOfLargest() string {
	var largest cellwall.Dataset
	for _, d := range o.in.Datasets {
		if (d.RowsGiven < d.Rows || d.Bytes >= o.limits.MemoryBytes/largeShare) && d.Bytes >= largest.Bytes {
			largest = d
		}
	}
	return readsTable(largest, true, "")
}

// readsWhole is the code that reads a table of a file with every row of it. For formats
// that are not read by one call it is the path alone.
func readsWhole(d cellwall.Dataset, table string) string {
	sheet := ""
	if _, name, ok := strings.Cut(table, "/"); ok {
		sheet = "sheet_name=" + quoted(cutEnd(oneLine(name), maxName))
	}
	return cmp.Or(readsTable(d, false, sheet), quotedInput(d.Name))
}

// readsTable is the code that reads a file, in parts where its format has such; some
// columns of it only, where it has those and few are wanted.
func readsTable(d cellwall.Dataset, few bool, sheet string) string {
	usecols, columns := "", ""
	if few {
		usecols, columns = "usecols=[…]", "columns=[…]"
	}
	switch d.Format {
	case "csv", "tsv":
		return reads("pd.read_csv", d.Name, usecols, dialect(d), "chunksize=500_000")
	case "jsonl":
		return reads("pd.read_json", d.Name, "lines=True", "chunksize=100_000")
	case "parquet":
		return reads("pd.read_parquet", d.Name, columns)
	case "xlsx":
		return reads("pd.read_excel", d.Name, usecols, sheet)
	}
	return ""
}

// dialect are the arguments of read_csv without which the file reads otherwise. The
// description came out of a sandbox: what is not of the form of one is left out.
func dialect(d cellwall.Dataset) string {
	var args []string
	if d.Delimiter != "" && strings.Contains(";|\t", d.Delimiter) && len(d.Delimiter) == 1 {
		args = append(args, fmt.Sprintf("sep=%q", d.Delimiter))
	}
	if e := d.Encoding; e != "" && !strings.EqualFold(e, "utf-8") && !strings.EqualFold(e, "ascii") && token(e) {
		args = append(args, "encoding="+quoted(e))
	}
	if d.Decimal == "," {
		args = append(args, `decimal=","`)
	}
	if d.Thousands == "," || d.Thousands == "." {
		args = append(args, "thousands="+quoted(d.Thousands))
	}
	if d.HeaderRow > 1 {
		args = append(args, fmt.Sprintf("skiprows=%d", d.HeaderRow-1))
	}
	return strings.Join(args, ", ")
}

// reads writes a call on an input file.
func reads(call, name string, args ...string) string {
	all := []string{quotedInput(name)}
	for _, a := range args {
		if a != "" {
			all = append(all, a)
		}
	}
	return call + "(" + strings.Join(all, ", ") + ")"
}

func quotedInput(name string) string { return quoted(inputPath(cutEnd(oneLine(name), maxName))) }
