package backendtest

import "testing"

func runSandbox(t *testing.T, s Setup)   { t.Helper() }
func runContract(t *testing.T, s Setup)  { t.Helper() }
func runUserCases(t *testing.T, s Setup) { t.Helper() }
func runDatasets(t *testing.T, s Setup)  { t.Helper() }
