package api_test

import (
	"testing"

	"github.com/cellwall/cellwall/api/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }
