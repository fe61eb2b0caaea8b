package connect

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/cellwall/cellwall"
)

// postgres is a connection to PostgreSQL.
type postgres struct{ *connection }

// checkPostgres completes the address: without another word the server shows a
// certificate for its name.
func checkPostgres(c *connection) (source, error) {
	if err := only(c.url, "sslmode", "sslrootcert"); err != nil {
		return nil, err
	}
	q := c.url.Query()
	switch mode := q.Get("sslmode"); {
	case mode == "":
		q.Set("sslmode", "verify-full")
		c.url.RawQuery = q.Encode()
	case !slices.Contains([]string{"disable", "require", "verify-ca", "verify-full"}, mode):
		return nil, errors.New("sslmode is none of verify-full, verify-ca, require, disable: the others fall back in silence")
	}
	if c.url.Hostname() == "" || c.url.User.Username() == "" || len(c.url.Path) < 2 || c.User != "" {
		return nil, errors.New("its url needs a role, a host and a database: postgres://role@host/database")
	}
	return postgres{c}, nil
}

func (p postgres) takes(ask Ask) error {
	if ask.Key != "" || ask.Prefix != "" || (ask.Table == "") == (ask.Query == "") {
		return badAsk("it is a database", "give a table or a query")
	}
	if strings.ContainsRune(ask.Table+ask.Query, 0) {
		return badAsk("it holds a NUL", "leave it out")
	}
	return nil
}

// maxMessage bounds one message of the server, which is one row at most.
const maxMessage = 16 << 20

// dial connects with the connection's own password, whatever the environment or the
// home of this process's user knows.
func (p postgres) dial(ctx context.Context, s secret) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(p.url.String())
	if err != nil {
		return nil, failed("its address is not understood", "the operator has to look at it", err)
	}
	config.Password = s.text
	config.RuntimeParams = map[string]string{
		"application_name": "cellwall", "default_transaction_read_only": "on", "client_encoding": "UTF8",
		"statement_timeout": strconv.FormatInt(p.Timeout.Milliseconds(), 10), "lock_timeout": "5000", "idle_in_transaction_session_timeout": "60000",
		"DateStyle": "ISO", "IntervalStyle": "iso_8601", "TimeZone": "UTC", "bytea_output": "hex",
	}
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(r, w)
		f.SetMaxBodyLen(maxMessage)
		return f
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, failed("it cannot be reached", "the operator has to look at it", err)
	}
	return conn, nil
}

// read takes the snapshot in one transaction.
func (p postgres) read(ctx context.Context, ask Ask, s secret, out *full) (*Snapshot, error) {
	conn, err := p.dial(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closePatience)
		defer cancel()
		_ = conn.Close(closing) // what was read is there, and the transaction wrote nothing
	}()
	pg := conn.PgConn()
	if err := exec(ctx, pg, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return nil, sqlError(err)
	}
	// The first statement fixes the transaction's mode, too: none can make it writable.
	if err := harmless(ctx, pg); err != nil {
		return nil, err
	}
	query, name := ask.Query, "query.parquet"
	if ask.Table != "" {
		query, name = "SELECT * FROM "+identifier(ask.Table).Sanitize(), ask.Table+".parquet"
	}
	// A cursor is of a SELECT or VALUES, says the database's own grammar, and a message
	// holds one statement: nothing that query holds can be another one.
	if err := exec(ctx, pg, "DECLARE "+cursor+" NO SCROLL CURSOR FOR "+query); err != nil {
		return nil, sqlError(err)
	}
	rows := &rowWriter{to: out, most: p.Rows}
	if err := fetch(ctx, pg, rows); err != nil {
		return nil, err
	}
	program, err := fromCSV(rows.columns)
	if err != nil {
		return nil, err
	}
	return &Snapshot{Name: name, Program: program, File: rowsFile, Leaves: leaves}, nil
}

// exec runs one statement through the extended protocol, which takes no second one.
func exec(ctx context.Context, pg *pgconn.PgConn, statement string) error {
	_, err := pg.ExecParams(ctx, statement, nil, nil, nil, nil).Close()
	return err
}

// identifier is schema.name, or a name.
func identifier(table string) pgx.Identifier {
	if schema, name, ok := strings.Cut(table, "."); ok {
		return pgx.Identifier{schema, name}
	}
	return pgx.Identifier{table}
}

// harmless refuses a role that could act on the server although it only reads.
func harmless(ctx context.Context, pg *pgconn.PgConn) error {
	result := pg.ExecParams(ctx, `SELECT rolsuper OR pg_has_role(oid, 'pg_execute_server_program', 'MEMBER')
		OR pg_has_role(oid, 'pg_read_server_files', 'MEMBER') OR pg_has_role(oid, 'pg_write_server_files', 'MEMBER')
		FROM pg_catalog.pg_roles WHERE rolname = current_user`, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return sqlError(result.Err)
	}
	if len(result.Rows) != 1 || string(result.Rows[0][0]) != "f" {
		return refused(cellwall.CodeForbidden, "its role may do more than read tables", "the operator gives it a role that is no superuser, in none of pg_execute_server_program, pg_read_server_files and pg_write_server_files", nil)
	}
	return nil
}

// sqlError is what the database says of a statement.
func sqlError(err error) error {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		var network net.Error
		if errors.As(err, &network) && network.Timeout() {
			return failed("it takes too long", "ask for less", err)
		}
		return failed("it breaks off", "try again later", err)
	}
	text := "the database says: " + strings.ToValidUTF8(cut(said.Message, 500), "")
	switch {
	case said.Code == "25006", said.Code == "42501": // a transaction that only reads; a role that may not
		return refused(cellwall.CodeForbidden, text, "ask for what the connection's role may read", err)
	case said.Code == "42P01", said.Code == "3F000":
		return refused(cellwall.CodeNotFound, text, "look at the spelling of the table", err)
	case strings.HasPrefix(said.Code, "42"), strings.HasPrefix(said.Code, "22"), strings.HasPrefix(said.Code, "0A"), strings.HasPrefix(said.Code, "34"):
		return refused(cellwall.CodeBadRequest, text, "mend the query: one SELECT", err)
	case said.Code == "57014":
		return failed("it takes too long", "ask for less", err)
	}
	return failed("the database does not answer the query", "try again later", err)
}
