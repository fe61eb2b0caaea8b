package api

import (
	"net/http"
	"strings"

	"github.com/cellwall/cellwall"
)

// route is one line of the table: who may call it, and how much it may send.
type route struct {
	id     string // of the operation in the OpenAPI document, and of its handler
	method string
	path   string
	scope  string // "" = anybody, without a key
	body   int64  // most bytes of a body; 0 = it has none
	has    trait
	tag    string
	title  string
}

func (r *route) pattern() string { return r.method + " " + r.path }

// trait is what else is asked of a route.
type trait uint16

const (
	work    trait = 1 << iota // begins work: refused while the service drains or is locked down
	once                      // takes Idempotency-Key
	pieces                    // its handler reads the body itself, in pieces
	tenant                    // its body may be as long as the tenant's terms say
	ticket                    // "" as scope stands for proof of its own, in the URL
	foreign                   // answers in the shape of another service: no problem documents
	ends                      // takes away what may be evidence: refused while there is a lockdown
	data                      // hands content out: recorded
	result                    // answers with the Result of the execution that it keeps
)

func (r *route) is(t trait) bool { return r.has&t != 0 }

const (
	small   = 64 * cellwall.KiB
	jsonCap = cellwall.MiB
	use     = cellwall.ScopeExecute
	admin   = cellwall.ScopeAdmin
	auditor = cellwall.ScopeAudit
)

// routes is every route there is. What is not in it does not exist.
var routes = [...]route{
	{"health", "GET", "/healthz", "", 0, 0, "service", "Is the process alive?"},
	{"ready", "GET", "/readyz", "", 0, 0, "service", "Can it run code now?"},
	{"openapi", "GET", "/openapi.json", "", 0, 0, "service", "This document"},
	{"docs", "GET", "/docs", "", 0, 0, "service", "This document, to read"},
	{"metrics", "GET", "/metrics", auditor, 0, 0, "service", "Figures of the whole service for Prometheus; the operator's"},

	{"createExecution", "POST", "/v1/executions", use, jsonCap, work | once | pieces | tenant | result, "executions", "Run code in a fresh sandbox"},
	{"listExecutions", "GET", "/v1/executions", use, 0, 0, "executions", "List executions, newest first"},
	{"getExecution", "GET", "/v1/executions/{id}", use, 0, 0, "executions", "The result of an execution"},
	{"cancelExecution", "DELETE", "/v1/executions/{id}", use, 0, ends, "executions", "Cancel an execution that waits or runs"},
	{"streamExecution", "GET", "/v1/executions/{id}/events", use, 0, 0, "executions", "The events of an execution, as they happen"},
	{"answerCall", "POST", "/v1/executions/{id}/calls/{call}", use, 9 * cellwall.MiB, 0, "executions", "Answer a call out of the sandbox"},
	{"getReceipt", "GET", "/v1/executions/{id}/receipt", use, 0, data, "executions", "A signed receipt of an execution"},
	{"getReceiptKey", "GET", "/v1/receipts/key", use, 0, 0, "executions", "The public key that checks receipts"},
	{"execute", "POST", "/execute", use, 32 * cellwall.MiB, work | foreign, "executions", "Run code, in the shape of another service"},

	{"createDataset", "POST", "/v1/datasets", use, 0, work | once | pieces | tenant, "datasets", "Upload a data file, or have it brought, and describe it"},
	{"listDatasets", "GET", "/v1/datasets", use, 0, 0, "datasets", "List datasets, newest first"},
	{"getDataset", "GET", "/v1/datasets/{id}", use, 0, 0, "datasets", "The description of a dataset"},
	{"getDatasetContent", "GET", "/v1/datasets/{id}/content", use, 0, data, "datasets", "The file itself"},
	{"maskDataset", "POST", "/v1/datasets/{id}/masked", use, jsonCap, work | once, "datasets", "Make a dataset without what some columns hold"},
	{"deleteDataset", "DELETE", "/v1/datasets/{id}", use, 0, ends, "datasets", "Forget a dataset"},
	{"createUpload", "POST", "/v1/uploads", use, small, work | once, "datasets", "Begin an upload in pieces"},
	{"getUpload", "GET", "/v1/uploads/{id}", use, 0, 0, "datasets", "How far an upload has come"},
	{"continueUpload", "PATCH", "/v1/uploads/{id}", use, 0, pieces | tenant | work, "datasets", "Send the next piece"},
	{"deleteUpload", "DELETE", "/v1/uploads/{id}", use, 0, ends, "datasets", "Abandon an upload"},

	{"getArtifact", "GET", "/v1/artifacts/{id}", use, 0, data, "artifacts", "The content of an artifact"},
	{"linkArtifact", "POST", "/v1/artifacts/{id}/link", use, small, 0, "artifacts", "A link that opens an artifact for a while"},
	{"openLink", "GET", "/v1/artifacts/{id}/content", "", 0, ticket | data, "artifacts", "The content behind a link"},

	{"listEnvironments", "GET", "/v1/environments", use, 0, 0, "environments", "The environments that are built"},

	{"createSession", "POST", "/v1/sessions", use, jsonCap, work | once, "sessions", "Begin a session"},
	{"listSessions", "GET", "/v1/sessions", use, 0, 0, "sessions", "List the sessions that live"},
	{"getSession", "GET", "/v1/sessions/{id}", use, 0, 0, "sessions", "A session"},
	{"deleteSession", "DELETE", "/v1/sessions/{id}", use, 0, ends, "sessions", "End a session"},
	{"createCell", "POST", "/v1/sessions/{id}/executions", use, jsonCap, work | once | pieces | result, "sessions", "Run code in a session"},
	{"interruptSession", "POST", "/v1/sessions/{id}/interrupt", use, small, ends, "sessions", "Interrupt the cell that runs"},
	{"rollbackSession", "POST", "/v1/sessions/{id}/rollback", use, small, work, "sessions", "Go back to a checkpoint"},
	{"branchSession", "POST", "/v1/sessions/{id}/branch", use, small, work | once, "sessions", "Branch off a session"},
	{"forkSession", "POST", "/v1/sessions/{id}/fork", use, small, work | once, "sessions", "Begin a session beside another, with its state"},
	{"pauseSession", "POST", "/v1/sessions/{id}/pause", use, small, 0, "sessions", "Freeze a session"},
	{"resumeSession", "POST", "/v1/sessions/{id}/resume", use, small, work, "sessions", "Let a frozen session go on"},
	{"listFiles", "GET", "/v1/sessions/{id}/files", use, 0, 0, "sessions", "List the files of a session"},
	{"uploadFile", "POST", "/v1/sessions/{id}/files", use, 0, pieces | tenant | work, "sessions", "Upload a file into a session"},
	{"getFile", "GET", "/v1/sessions/{id}/files/{name...}", use, 0, data, "sessions", "A file of a session"},
	{"putFile", "PUT", "/v1/sessions/{id}/files/{name...}", use, 0, pieces | tenant | work, "sessions", "Write a file of a session"},
	{"deleteFile", "DELETE", "/v1/sessions/{id}/files/{name...}", use, 0, ends, "sessions", "Remove a file of a session"},

	{"listTools", "GET", "/v1/tools", use, 0, 0, "tools", "What a model may call in a session now, and why"},
	{"callTool", "POST", "/v1/tools/{name}", use, jsonCap, work | once, "tools", "Call a tool in a session, as a model does"},
	{"mcpPost", "POST", "/mcp", use, jsonCap, 0, "tools", "Send a message of the Model Context Protocol"},
	{"mcpGet", "GET", "/mcp", use, 0, 0, "tools", "Hear what its server says"},
	{"mcpDelete", "DELETE", "/mcp", use, 0, 0, "tools", "End a session of it"},

	{"listApprovals", "GET", "/v1/approvals", use, 0, 0, "approvals", "What waits for a person, and what was decided, newest first"},
	{"getApproval", "GET", "/v1/approvals/{id}", use, 0, 0, "approvals", "One of them"},
	{"approve", "POST", "/v1/approvals/{id}/approve", use, small, work, "approvals", "Let it happen as it was asked for"},
	{"editApproval", "POST", "/v1/approvals/{id}/edit", use, jsonCap, work, "approvals", "Let it happen with other code"},
	{"reject", "POST", "/v1/approvals/{id}/reject", use, small, work, "approvals", "Do not let it happen"},

	{"rate", "POST", "/v1/executions/{id}/ratings", use, small, 0, "ratings", "Say what somebody thinks of what came of an execution"},
	{"listRatings", "GET", "/v1/executions/{id}/ratings", use, 0, 0, "ratings", "What people think of an execution"},
	{"exportRatings", "GET", "/v1/ratings", use, 0, data, "ratings", "Every rating, one a line"},
	{"sumRatings", "GET", "/v1/ratings/summary", use, 0, 0, "ratings", "Means and agreement, by model, prompt version and environment"},

	{"listEvents", "GET", "/v1/events", use, 0, 0, "events", "What happened to the tenant, as it happens"},
	{"createWebhook", "POST", "/v1/webhooks", admin, small, once, "events", "Be told by a webhook"},
	{"listWebhooks", "GET", "/v1/webhooks", admin, 0, 0, "events", "List webhooks"},
	{"getWebhook", "GET", "/v1/webhooks/{id}", admin, 0, 0, "events", "A webhook"},
	{"deleteWebhook", "DELETE", "/v1/webhooks/{id}", admin, 0, 0, "events", "Remove a webhook"},
	{"createAlert", "POST", "/v1/alerts", admin, small, once, "events", "Add an alert rule"},
	{"listAlerts", "GET", "/v1/alerts", admin, 0, 0, "events", "List alert rules"},
	{"deleteAlert", "DELETE", "/v1/alerts/{id}", admin, 0, 0, "events", "Remove an alert rule"},

	{"getUsage", "GET", "/v1/usage", admin, 0, 0, "tenants", "What was used, by hour"},
	{"listKeys", "GET", "/v1/keys", admin, 0, 0, "tenants", "List keys"},
	{"createKey", "POST", "/v1/keys", admin, small, 0, "tenants", "Make a key; its text is shown once"},
	{"revokeKey", "DELETE", "/v1/keys/{id}", admin, 0, 0, "tenants", "Revoke a key"},
	{"listTenants", "GET", "/v1/admin/tenants", admin, 0, 0, "tenants", "List tenants"},
	{"createTenant", "POST", "/v1/admin/tenants", admin, small, once, "tenants", "Add a tenant"},
	{"getTenant", "GET", "/v1/admin/tenants/{id}", admin, 0, 0, "tenants", "A tenant"},
	{"changeTenant", "PATCH", "/v1/admin/tenants/{id}", admin, small, 0, "tenants", "Change a tenant"},

	{"lockdown", "POST", "/v1/admin/lockdown", admin, small, 0, "operation", "Stop all work now"},
	{"unlock", "POST", "/v1/admin/unlock", admin, small, 0, "operation", "Let work begin again"},
	{"listAudit", "GET", "/v1/audit", auditor, 0, data, "operation", "Records of what was executed, newest first"},
}

// byPattern is the table as the mux names its routes.
func byPattern() map[string]*route {
	m := make(map[string]*route, len(routes))
	for i := range routes {
		m[routes[i].pattern()] = &routes[i]
	}
	return m
}

// find returns the row of an operation; a handler for none is a fault of ours.
func find(id string) *route {
	for i := range routes {
		if routes[i].id == id {
			return &routes[i]
		}
	}
	panic("api: no route " + id)
}

// groups register the handlers, each in its own file.
func (s *Server) groups() []func() {
	return []func(){
		s.registerHealth, s.registerMetrics, s.registerDocs, s.registerAccounts,
		s.registerExecutions, s.registerCalls, s.registerExecute, s.registerDatasets, s.registerUploads,
		s.registerArtifacts, s.registerEnvironments,
		s.registerReceipts, s.registerAudit, s.registerLockdown,
		s.registerSessions, s.registerTools, s.registerMCP, s.registerApprovals, s.registerRatings, s.registerEvents, s.registerWebhooks, s.registerAlerts,
	}
}

var _ http.Handler = (*Server)(nil)

// Routes are those of the table, as "METHOD /path", with the scope that a key needs
// for them; "" = they take none.
func Routes() map[string]string {
	all := make(map[string]string, len(routes))
	for _, r := range routes {
		all[r.method+" "+strings.ReplaceAll(r.path, "...}", "}")] = r.scope
	}
	return all
}
