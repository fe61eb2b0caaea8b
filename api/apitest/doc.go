// Package apitest runs the service's HTTP for tests: a real server on loopback,
// over the native backend, a real store and real records.
//
//	func TestMain(m *testing.M) { apitest.Main(m) }
//
//	s := apitest.Start(t)
//	answer := s.Call(t, "POST", "/v1/executions", s.Key, `{"code":"1+1"}`)
//
// A Service has two tenants with a key each, Key and Other, and keys that lack
// scopes (Agent asks for what Key may decide) or have expired. What a room of its own decides (rates, budgets, the
// queue) is tested there; here every caller may do what its scopes say.
//
// Suite holds a Service to what every service promises. Start has no room for events,
// webhooks, alerts, tenants, receipts, MCP, functions and lockdowns: Whole holds a
// service that has them, as the binary starts it, to the rest, and fails when a route
// of the table is called by no row.
package apitest
