package cellwall

// Dataset describes one uploaded file as the sandbox that parsed it saw it.
// Everything below Bytes came out of a sandbox and is hostile data, bounded
// and strictly decoded.
type Dataset struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // base name as uploaded
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`

	Format    string   `json:"format"` // csv tsv xlsx json jsonl parquet
	Encoding  string   `json:"encoding,omitempty"`
	Delimiter string   `json:"delimiter,omitempty"`
	Decimal   string   `json:"decimal,omitempty"`
	Thousands string   `json:"thousands,omitempty"`
	Sheets    []string `json:"sheets,omitempty"`
	HeaderRow int      `json:"header_row,omitempty"` // 1 = the first row

	Rows      int64    `json:"rows"`       // rows in the file
	RowsGiven int64    `json:"rows_given"` // rows in df
	Sample    string   `json:"sample"`     // "all", "random seed 42" or "head"
	Columns   []Column `json:"columns"`
	Tables    []Table  `json:"tables,omitempty"` // further tables, e.g. sheets
	Warnings  []string `json:"warnings,omitempty"`
}

// Table is one further table of a file: a sheet of a workbook.
type Table struct {
	Name      string   `json:"name"` // key in dfs
	HeaderRow int      `json:"header_row,omitempty"`
	Rows      int64    `json:"rows"`
	RowsGiven int64    `json:"rows_given"`
	Columns   []Column `json:"columns"`
}

// Column describes one column of a table.
type Column struct {
	Name     string   `json:"name"`
	DType    string   `json:"dtype"`
	Missing  int64    `json:"missing"`
	Examples []string `json:"examples,omitempty"`
	Kind     string   `json:"kind,omitempty"` // "identifier", "mixed", "nested", "date", … when the reader noticed
}
