// Package review asks a model what it thinks of a program before it runs.
//
// A [Reviewer] speaks to any endpoint with OpenAI's chat completions. What it says
// can only refuse: package policy asks it last, of programs that no other link has
// refused, and what it lets pass meets the same wall.
//
// # The code is data
//
// The program goes as a string of JSON, beside a ticket that is new in each question
// and that the answer must carry. The answer is one JSON object, read strictly:
//
//	{"ticket": "…", "verdict": "pass" | "refuse", "line": 3, "reason": "one sentence"}
//
// Anything else is no answer: a model that repeats what the program would have it
// say does not know the ticket. A model that believes the program lets it pass, as
// without a reviewer. No answer, a late one or another is an error, and what follows
// of it is policy's to say.
//
// # Bounds
//
// An answer has [Options].Timeout and 64 KiB; no redirect is followed; of a reason
// 300 characters are kept.
package review
