package apitest

import (
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/api"
	"github.com/cellwall/cellwall/artifact"
	"github.com/cellwall/cellwall/audit"
	"github.com/cellwall/cellwall/controller"
	"github.com/cellwall/cellwall/dataset"
	"github.com/cellwall/cellwall/environment"
	"github.com/cellwall/cellwall/environments"
	"github.com/cellwall/cellwall/observe"
	"github.com/cellwall/cellwall/session"
	"github.com/cellwall/cellwall/store"
	"github.com/cellwall/cellwall/store/blob"
	"github.com/cellwall/cellwall/tools"
)

// Service is a server that answers on loopback until its test ends.
type Service struct {
	URL     string
	State   string // its state directory
	Server  *api.Server
	Store   *store.Store
	Keys    *Keys
	Tenant  string // of Key
	Second  string // of Other
	Key     string // of the first tenant: execute, admin
	Other   string // of the second
	Agent   string // of the first tenant: execute alone
	Auditor string // of the first tenant: audit alone
	Expired string // of the first tenant

	// Hold says what of the first tenant's waits for a person from now on.
	Hold func(testing.TB, cellwall.ApprovalTerms)

	// Of a service that has every room; "" and nil of others.
	Operator string             // a key of an operator, with all scopes
	Restart  func(t *testing.T) // kills it, and has it start again

	called *called // by the rows of a suite; nil = nobody counts
}

// Start starts a service. change may set more of the options, or other ones,
// before the server is made.
func Start(t testing.TB, change ...func(*api.Options)) *Service {
	t.Helper()
	s := &Service{State: t.TempDir(), Keys: newKeys()}
	openPath(t, s.State)
	s.fillKeys()
	contents, err := blob.OpenDisk(filepath.Join(s.State, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	database, err := store.Open(t.Context(), store.Default(s.State), store.Options{Serve: true, Contents: contents, Logger: logger(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.Store = database
	t.Cleanup(closing(t, "the store", database.Close))
	o := s.house(t)
	for _, c := range change {
		c(&o)
	}
	if s.Server, err = api.New(o); err != nil {
		t.Fatal(err)
	}
	s.listen(t)
	return s
}

func (s *Service) fillKeys() {
	s.Tenant = cellwall.NewID(cellwall.PrefixTenant)
	s.Second = cellwall.NewID(cellwall.PrefixTenant)
	s.Key = s.Keys.Add(s.Tenant, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAdmin)
	s.Other = s.Keys.Add(s.Second, time.Time{}, cellwall.ScopeExecute, cellwall.ScopeAdmin)
	s.Agent = s.Keys.Add(s.Tenant, time.Time{}, cellwall.ScopeExecute)
	s.Auditor = s.Keys.Add(s.Tenant, time.Time{}, cellwall.ScopeAudit)
	s.Expired = s.Keys.Add(s.Tenant, time.Now().Add(-time.Hour), cellwall.Scopes()...)
	s.Hold = func(_ testing.TB, terms cellwall.ApprovalTerms) {
		s.Keys.Change(s.Tenant, func(t *cellwall.Terms) { t.Approval = terms })
	}
}

// house wires the rooms as the binary does.
func (s *Service) house(t testing.TB) api.Options {
	t.Helper()
	records, err := audit.Open(filepath.Join(s.State, "records"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing(t, "the records", records.Close))
	taker := artifact.Taker{Sink: sink{s.Store}}
	wall, err := openWall()
	if err != nil {
		t.Fatal(err)
	}
	ledger := &ledger{store: s.Store, records: records}
	known := environment.Open(stateDir(), environments.FS)
	c, err := controller.New(controller.Options{
		Pools: map[string]controller.Sandboxes{"native": wall.set}, Backend: "native",
		Environments: known, Environment: "python-data-basic",
		MergeDatasets: dataset.Merge, Harvester: taker, Observe: observe.Tell, Recorder: ledger,
		Follow: func() controller.Follower { return taker.Follow() }, Logger: logger(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	waiting := approvals{s.Store, records}
	return api.Options{
		Sessions: s.sessions(t, c), Toolboxes: s.toolboxes(t, c, waiting),
		Keys: s.Keys, Work: c, Recorder: ledger, Executions: s.Store, Once: s.Store, Background: leftBehind{s.Store},
		Datasets: datasets{s.Store}, Uploads: uploads{s.Store}, Artifacts: artifacts{s.Store}, Environments: built{known},
		Approvals: waiting, Ratings: ratings{s.Store},
		Secret: sha256.Sum256([]byte(s.State)), Spool: s.State, Version: "0.0.0-test", Logger: logger(t),
	}
}

// sessions are interpreters over the same wall.
func (s *Service) sessions(t testing.TB, c *controller.Controller) sessions {
	t.Helper()
	all, err := session.New(opening(c, s.Store))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing(t, "the sessions", all.Close))
	return sessions{all, s.Store}
}

// toolboxes are what a model is given in them.
func (s *Service) toolboxes(t testing.TB, c *controller.Controller, waiting api.Approvals) *toolboxes {
	t.Helper()
	schemas, err := tools.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return &toolboxes{store: s.Store, approvals: waiting, work: c, keys: s.Keys, schemas: schemas, tasks: tools.NewClassifier()}
}

// logger shows what a service would tell its operator.
func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// stateDir is where the environments are built, found as the binary finds it.
func stateDir() string {
	if dir := os.Getenv("CELLWALL_STATE_DIR"); dir != "" {
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/lib/cellwall"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "cellwall")
	}
	return filepath.Join(os.Getenv("HOME"), ".local/state/cellwall")
}

// openPath lets a sandbox's user pass through the directories of a test.
func openPath(t testing.TB, dir string) {
	t.Helper()
	for top := filepath.Clean(os.TempDir()); dir != top && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
