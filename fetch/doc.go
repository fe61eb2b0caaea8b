// Package fetch brings a file from the web, outside of every sandbox: from hosts
// that a tenant's terms name, and from no other.
//
// What it brings is a file for a dataset. Nothing of it, neither content nor
// header, is told to a model as text.
//
// # Hosts
//
// [ParseHosts] reads what the operator allows:
//
//	data.example.org          https, port 443
//	data.example.org:8443     https, that port
//	*.example.org             every name below it, not itself
//	http://data.example.org   http, port 80; where nothing else is said it is https
//
// A star stands for whole labels, at the front, above a domain that somebody owns:
// "*.com" and "*.co.uk" are refused. An address is no host.
//
// # One fetch
//
// [Fetcher.Fetch] takes these steps, and the first four again at each redirect, of
// which there may be 5:
//
//	1 read      the address is https (or http that is allowed), has a name for a host, no user, no odd characters
//	2 judge     the host, the port and the scheme are allowed
//	3 resolve   once; every address that comes back is one of the internet, or the fetch is refused
//	4 dial      those addresses only: nobody resolves the name again. The address is looked at once more when it is dialled
//	5 ask       GET, with no cookie, no credentials, no referrer, through no proxy
//	6 look      200, and a type that data has; a page in HTML is no data
//	7 read      up to the cap, counted after decompression, within the time, never slower than the least pace
//
// What is refused before a connection is [cellwall.CodeForbidden] or, where the
// address is malformed, CodeBadRequest; too many bytes are CodeTooLarge; all else
// that the other side does is CodeSourceFailed. An error tells nothing of where a
// name leads and nothing of what the other side wrote: [Entry].Cause has it, for
// the operator.
//
// # Cache
//
// Answers are kept for their tenant alone, as Cache-Control, ETag and Last-Modified
// say, at most a day without asking again, up to a number of bytes, in files
// without names. What is kept is judged like any other fetch before it is given
// out. Redirects are not kept.
//
// # Limits of it
//
// Whoever may choose the address may tell an allowed host something, in the path
// or the query: hosts are allowed that may be told. Every fetch leaves an [Entry]
// with its whole address, refused ones too.
package fetch
