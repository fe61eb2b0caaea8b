package mask

import (
	_ "embed"
	"encoding/json"
)

// What becomes of a column.
const (
	Hide    = "hide"    // it is left out
	Hash    = "hash"    // equal values stay equal: 16 hexadecimal digits, by a key that nobody keeps
	Partial = "partial" // the last 4 characters stay, of an address of mail the domain
)

// Masked is the file that the program of Columns leaves.
const Masked = "masked.parquet"

//go:embed columns.py
var columnsProgram string

// Columns returns the program that writes df without what its columns hold: columns
// says of some what becomes of them. It is to run in a sandbox where no other code does,
// with every row in df. It ends with a KeyError for a column that is not there.
func Columns(columns map[string]string) (string, error) {
	table, err := json.Marshal(columns)
	if err != nil {
		return "", err
	}
	return "_columns = " + string(table) + "\n" + columnsProgram, nil
}
