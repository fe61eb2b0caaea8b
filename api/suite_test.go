package api_test

import (
	"testing"

	"github.com/cellwall/cellwall/api/apitest"
)

// On SQLite and disk, over handlers that nobody else has. cmd runs the same over
// "cellwall serve" and every kind of store.
func TestSuite(t *testing.T) {
	apitest.Suite(t, func(t *testing.T) *apitest.Service { return apitest.Start(t) })
}
