// Package telemetry shows an operator what the service does: metrics, traces
// and logs.
//
// Rooms keep their own figures; cmd hands them in as functions. Labels are
// bounded: routes, statuses, causes, names of calls – never ids, tenants only
// when the operator asks for them. Neither logs nor traces hold code or data
// unless asked.
package telemetry
