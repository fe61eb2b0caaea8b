package dataset

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwall/cellwall"
)

// Bounds of one description.
const (
	MaxTables   = 64
	MaxColumns  = 2_000 // of one table
	MaxWarnings = 64
	MaxExamples = 8
	MaxText     = 500 // characters of a name, an example, a warning
	maxWord     = 100 // characters of an encoding, a dtype, a kind
	maxHeader   = 1 << 20
)

// checkDataset refuses what breaks a bound and cleans what is shown.
func checkDataset(d *cellwall.Dataset) error {
	switch d.Format {
	case "csv", "tsv", "xlsx", "json", "jsonl", "parquet":
	default:
		return errors.New("unknown format")
	}
	if !given(d.Sample) {
		return errors.New("unknown sample")
	}
	if len(d.Sheets) > MaxTables || len(d.Tables) > MaxTables || len(d.Warnings) > MaxWarnings {
		return errors.New("too many sheets, tables or warnings")
	}
	d.Name, d.SHA256 = "", "" // known outside, never the sandbox's word
	if err := checkRows(d.HeaderRow, d.Rows, d.RowsGiven, d.Columns); err != nil {
		return err
	}
	if d.Sample == GivenAll && d.RowsGiven != d.Rows {
		return errors.New("all rows are not all rows")
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		if err := errors.Join(checkRows(t.HeaderRow, t.Rows, t.RowsGiven, t.Columns), cleanAll(MaxText, &t.Name)); err != nil {
			return fmt.Errorf("table %d: %w", i+1, err)
		}
	}
	return errors.Join(
		cleanList(MaxText, d.Sheets), cleanList(MaxText, d.Warnings),
		cleanAll(maxWord, &d.Encoding, &d.Decimal, &d.Thousands), cleanDelimiter(&d.Delimiter),
	)
}

func checkRows(header int, rows, given int64, columns []cellwall.Column) error {
	if header < 0 || header > maxHeader || given < 0 || rows < given {
		return errors.New("counts of rows do not fit")
	}
	if len(columns) > MaxColumns {
		return fmt.Errorf("%d columns are more than %d", len(columns), MaxColumns)
	}
	for i := range columns {
		c := &columns[i]
		if c.Missing < 0 || c.Missing > given || len(c.Examples) > MaxExamples {
			return fmt.Errorf("column %d: counts do not fit", i+1)
		}
		err := errors.Join(cleanAll(MaxText, &c.Name), cleanAll(maxWord, &c.DType, &c.Kind), cleanList(MaxText, c.Examples))
		if err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func cleanList(most int, list []string) error {
	for i := range list {
		if err := cleanAll(most, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// cleanAll bounds texts and turns what could move a cursor, end a line or
// reverse the direction of writing into spaces.
func cleanAll(most int, texts ...*string) error {
	for _, s := range texts {
		if len(*s) > most && utf8.RuneCountInString(*s) > most {
			return fmt.Errorf("a text is longer than %d characters", most)
		}
		*s = strings.Map(printable, *s)
	}
	return nil
}

func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// cleanDelimiter lets one character pass that is a control character: the tab.
func cleanDelimiter(s *string) error {
	if *s == "\t" {
		return nil
	}
	return cleanAll(maxWord, s)
}
