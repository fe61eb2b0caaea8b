module github.com/cellwall/cellwall

go 1.26.0

require (
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/ulikunitz/xz v0.5.15 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0
)
