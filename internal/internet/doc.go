// Package internet tells the addresses of the internet from those of this host,
// of its networks, and of nobody: the one guard between what a tenant names and
// what is dialled.
//
//	Public   an address of the internet
//	Ours     an address of this host
//	Only     the control of a net.Dialer that dials the internet alone
//
// Addresses that carry an IPv4 address in disguise (mapped, compatible, NAT64, 6to4,
// Teredo, ISATAP) are none of the internet, whatever they carry: nobody needs them
// to reach a server, and each is a way around a look at the IPv4 address.
package internet
