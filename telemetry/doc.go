// Package telemetry shows an operator what the service does: metrics, traces
// and logs.
//
// Rooms keep their own figures; cmd hands them in as functions. Labels are
// bounded: routes, statuses, causes, names of calls – never ids, tenants only
// when the operator asks for them. Neither logs nor traces hold code or data
// unless asked.
//
// # Metrics
//
// Read at GET /metrics, by Prometheus or anything that knows its text format. The
// figures are of the whole service, so they are the operator's alone. Their
// labels stand in braces; "other" is what has no label of its own, "none" what
// has no value.
//
//	cellwall_http_requests_total{route,method,status}            counter; status is a class: 2xx
//	cellwall_http_request_duration_seconds{route,method}         histogram
//	cellwall_http_requests_in_flight                             gauge
//
//	cellwall_executions_total{status,cause}                      counter; cells, too, and what was turned away; "exit" of exit:7
//	cellwall_turned_away_total{code}                             counter; of these, who got no turn
//	cellwall_refused_calls_total{call}                           counter; by name, without arguments
//	cellwall_tenant_executions_total{tenant,status}              counter; only where metrics.tenants is set
//	cellwall_between_cells_cpu_seconds_total                     counter; processor time of what sessions left running, and of checkpoints
//	cellwall_tenant_between_cells_cpu_seconds_total{tenant}      the same; only where metrics.tenants is set
//	cellwall_stage_duration_seconds{stage}                       histogram; the controller's stages, and execution for all
//	cellwall_warm_fork_duration_seconds{ahead}                   histogram; a sandbox opened ahead of need, or not
//
//	cellwall_queue_servers                                       gauge
//	cellwall_queue_wanted_servers                                gauge; with which the mean wait were acceptable
//	cellwall_queue_running
//	cellwall_queue_waiting
//	cellwall_queue_tenants
//	cellwall_queue_arrivals_per_second                           gauge; of all requests
//	cellwall_queue_lambda                                        gauge; of those that stayed for their turn, per second
//	cellwall_queue_mu                                            gauge; of one server, per second
//	cellwall_queue_predicted_wait_seconds{model}                 gauge; raw, corrected
//	cellwall_queue_seen_wait_seconds                             gauge
//	cellwall_queue_admitted_total
//	cellwall_queue_refused_total{why}                            counter; full, shed
//	cellwall_queue_left_total
//
//	cellwall_pool_ready{environment,session}                     gauge
//	cellwall_pool_target{environment,session}
//	cellwall_pool_filling{environment,session}
//	cellwall_pool_closing{environment,session}
//	cellwall_pool_claims_total{environment,session}              counter
//	cellwall_pool_misses_total{environment,session}              counter; claims that found none ready
//	cellwall_pool_discarded_total{environment,session}
//	cellwall_pool_failures_total{environment,session,at}         counter; open, close
//
//	cellwall_store_batches_total                                 counter; writes by batches = what shared one commit
//	cellwall_store_writes_total
//	cellwall_store_commit_seconds_total                          counter; by batches = a commit, of PostgreSQL with its sync
//	cellwall_audit_batches_total                                 the same, of the records
//	cellwall_audit_writes_total
//	cellwall_audit_commit_seconds_total
//
//	cellwall_webhook_deliveries_total{outcome}                   counter; taken, retried, given_up
//	cellwall_events_lost_total
//	cellwall_trace_spans_total{outcome}                          counter; sent, lost
//	cellwall_build_info{version,revision}                        1
//
// Beside them go_… and process_… of the service's own process.
//
// # Traces
//
// A span for each request and each stage of an execution goes to a collector as OTLP
// over HTTP, below the traceparent of its caller. Of an error a span keeps the code, of a
// caller's tracestate nothing. Whoever is traced waits for nothing: spans wait in a
// bounded queue, further ones are lost and counted. A caller that says in its
// traceparent whether it traces is followed, the rest is sampled.
//
// # Cost
//
// In processor time, of a request with an execution: metrics 3.3 µs; traces that are
// not sampled 1.3 µs more, sampled ones about 30 µs (BenchmarkRequest).
package telemetry
