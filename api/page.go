package api

import "github.com/danielgtaylor/huma/v2"

func page(*huma.OpenAPI) ([]byte, error) { return []byte("docs"), nil }
