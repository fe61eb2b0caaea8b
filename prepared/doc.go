// Package prepared keeps datasets that were parsed once, so that sandboxes on
// them begin with df there: it decides which, for whom, how many and how long.
// A backend makes the templates and opens sandboxes from them (see
// cellwall.Templater); a controller asks this room which one serves a request.
//
// # When it pays
//
// A template costs one more parse, a zygote of its own (a second of a processor)
// and memory until it goes; a sandbox that comes from one is opened for its
// claimer, 10 ms, where a pool would have had another ready. So a dataset gets one
// behind the second time that it was parsed in a sandbox, if that took
// Options.Worth or longer: who looks once at a file, or at a small one, pays
// nothing. The description of an upload is a first time. Nobody waits: until the
// template is there, runs parse in place, and several at once make one template.
// [Set.Prepare] makes one at once and waits, for who knows that it will be used.
//
// Only inputs whose content is known beforehand count (cellwall.Input.SHA256):
// hashing 190 MB takes longer than what comes after it.
//
// # Whose it is
//
// A template serves the tenant, environment (by digest), number of rows and
// inputs (names and contents, in order) that it was made for, and nothing else:
// two tenants with the same bytes have two. The backend refuses it to another
// tenant as well. Other limits need not be the same: they are each sandbox's own.
//
// # Bounds
//
//   - Of a tenant PerTenant templates and TenantBytes of memory, of all Most and
//     Bytes. Beyond that the one goes that was used longest ago: the tenant's own,
//     and for the bounds of all one of the tenant that holds the most. One that
//     is larger than TenantBytes is not kept.
//   - One that nobody used for Idle goes.
//   - AtOnce are made at a time, one of each dataset; some more wait, and beyond
//     those nothing is begun: the next use tries again.
//   - Of datasets without a template so many are remembered that it takes no
//     memory to speak of.
//
// What goes serves no new sandbox; those that live go on, and its memory is free
// when the last of them has ended.
//
// [Set.Drop] ends the templates of a dataset that is deleted, one that is being
// made too. When a template of the same tenant is made for a newer build of an
// environment, those of the older one go.
//
// # When it cannot be
//
// Data that cannot be kept in this way, or is too large, is parsed in place as
// ever, and each result says why in a warning; it is not tried again until the
// set has forgotten about it. What may pass, such as a busy host, is tried again
// a minute later. A template whose zygote has died is told by who wanted to open
// a sandbox from it ([Set.Lost]): that one parses in place, and another template is
// made behind it.
package prepared
