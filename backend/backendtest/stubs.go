package backendtest

import "testing"

func runDatasets(t *testing.T, s Setup) { t.Helper() }
