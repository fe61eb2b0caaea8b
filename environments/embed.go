// Package environments holds the built-in declarations and their locks, one
// directory per environment. The format is package environment's.
package environments

import "embed"

// FS holds NAME/environment.toml, NAME/debs.lock and NAME/requirements.lock.
//
//go:embed */environment.toml */debs.lock */requirements.lock
var FS embed.FS
