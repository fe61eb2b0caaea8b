package connect

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

const (
	cursor        = "cellwall_snapshot"
	batch         = 5000
	rowsFile      = "rows.csv"
	closePatience = 2 * time.Second
)

// column is one of the rows, for the program that reads them.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"` // bool int float decimal date time timestamp timestamptz text
}

// typeNames are the types that stay what they are. Whatever else there is comes as
// the text that the database makes of it.
var typeNames = map[uint32]string{
	pgtype.BoolOID: "bool", pgtype.Int2OID: "int", pgtype.Int4OID: "int", pgtype.Int8OID: "int", pgtype.OIDOID: "int",
	pgtype.Float4OID: "float", pgtype.Float8OID: "float", pgtype.NumericOID: "decimal", pgtype.DateOID: "date", pgtype.TimeOID: "time",
	pgtype.TimestampOID: "timestamp", pgtype.TimestamptzOID: "timestamptz",
}

// fetch reads the cursor to its end.
func fetch(ctx context.Context, pg *pgconn.PgConn, rows *rowWriter) error {
	buffered := bufio.NewWriterSize(rows.to, 64<<10)
	for {
		result := pg.ExecParams(ctx, "FETCH FORWARD "+strconv.Itoa(batch)+" FROM "+cursor, nil, nil, nil, nil)
		if rows.columns == nil {
			for _, f := range result.FieldDescriptions() {
				name := typeNames[f.DataTypeOID]
				if name == "" {
					name = "text"
				}
				rows.columns = append(rows.columns, column{f.Name, name})
			}
		}
		n := 0
		for ; result.NextRow(); n++ {
			if err := rows.write(buffered, result.Values()); err != nil {
				return err // the connection is closed, with what is on its way
			}
		}
		if _, err := result.Close(); err != nil {
			return sqlError(err)
		}
		if n < batch {
			return buffered.Flush()
		}
	}
}

// rowWriter writes rows as CSV in which a value is quoted and a missing one is not.
type rowWriter struct {
	to      *full
	columns []column
	n, most int
}

func (w *rowWriter) write(to *bufio.Writer, values [][]byte) error {
	if w.n++; w.n > w.most {
		return tooLarge(fmt.Sprintf("more than %d rows", w.most))
	}
	if len(values) == 0 {
		return badAsk("it has no columns", "name some")
	}
	for i, value := range values {
		if i > 0 {
			if err := to.WriteByte(','); err != nil {
				return err
			}
		}
		if value == nil {
			continue
		}
		if err := to.WriteByte('"'); err != nil {
			return err
		}
		if bytes.IndexByte(value, '"') >= 0 {
			value = bytes.ReplaceAll(value, []byte(`"`), []byte(`""`))
		}
		if _, err := to.Write(value); err != nil {
			return err
		}
		if err := to.WriteByte('"'); err != nil {
			return err
		}
	}
	return to.WriteByte('\n')
}

//go:embed rows.py
var rowsProgram string

// fromCSV is the program that makes Parquet of the rows.
func fromCSV(columns []column) (string, error) {
	if columns == nil {
		return "", badAsk("it has no columns", "name some")
	}
	said, err := json.Marshal(columns)
	if err != nil {
		return "", fmt.Errorf("write columns: %w", err)
	}
	text, err := json.Marshal(string(said))
	return fmt.Sprintf("_columns = %s\n", text) + rowsProgram, err
}
