module github.com/cellwall/cellwall

go 1.26
