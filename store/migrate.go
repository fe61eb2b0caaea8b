package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/filelock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. Who comes at the same time waits.
func (db *database) migrate(ctx context.Context) error {
	if db.path != "" {
		lock, err := os.OpenFile(db.path+".migrate", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return fmt.Errorf("migrate database: %w", err)
		}
		defer lock.Close()
		if err := filelock.Take(lock); err != nil {
			return fmt.Errorf("migrate database: %w", err)
		}
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if db.dialect == goose.DialectPostgres {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("migrate database: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(db.dialect, db.writes, files, options...)
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	have, know, err := provider.GetVersions(ctx)
	if err != nil {
		return storeError("read version of database", err)
	}
	if have > know {
		return &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "open database",
			Err:  fmt.Errorf("its version is %d, and this program knows up to %d", have, know),
			Hint: "a newer Cellwall has changed it: start that one, or restore the copy from before",
		}
	}
	if have == know {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return storeError("migrate database", err)
	}
	return nil
}
