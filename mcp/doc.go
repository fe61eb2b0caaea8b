// Package mcp offers the tools of package tools over the Model Context Protocol,
// by the official SDK: over standard input and output, and over streamable HTTP.
//
// # One client
//
// A [Session] is what one client talks to: its own [Toolbox], and with it one state
// of the router, one set of datasets and one budget. Its calls run one after the
// other; [mostCalls] may wait, further ones are told to come back.
//
//	tools      those that the router offers now; list_changed when that changes.
//	           A call of another one is refused in words that say what to do
//	           instead. [Options.Every] lists all of them, for clients that ask
//	           once; what may be called is the same
//	results    the observation as text and as structured content, pictures that
//	           are small enough (none with [Options.NoPictures]), and a link for each
//	           artifact and each figure that was shown; figures of a program that
//	           saved as many pictures are linked only. isError is what the model can
//	           repair; a protocol error is what it cannot
//	people     a call that waits for a person's approval is answered when they have
//	           decided, or nobody has in time; nothing is offered meanwhile
//	progress   at once and each second while a call waits or runs
//	cancel     ends the execution behind the call: by notification, by the end of
//	           the connection or of the session. Over lines no answer follows; over
//	           HTTP the error -32800, for the stream ends by an answer
//	resources  cellwall://tables, and cellwall://artifacts/{id}
//	prompts    analyse_data: the prompt before a program, with the user's question.
//	           Who gets it asks anew: tries that were used up are given again. Other
//	           words of the user's are not heard, so SQL or a chart that answers
//	           gives them again, too, once
//	logging    one line for each call, none of it from a sandbox
//
// What comes out of a sandbox is bounded and escaped before it gets here (package
// observe, package artifact); names are held to [visible.Shows] once more.
//
// # Transports
//
// [Lines] reads one message a line. A line that is too long, no JSON or a batch is
// answered with an error, and the next one is read. [HTTP] serves both ways in which
// clients come over HTTP: sessions by Mcp-Session-Id, as until 2025-11-25, and
// requests that stand alone, since 2026-07-28. The first get a Session each, the
// second share one for each caller and query, because nothing else of them lasts.
// A session belongs to who began it, by tenant and key; to anybody else its id is one
// that does not exist. Sessions are bounded in number and end when nobody uses them.
package mcp
