// Package policy checks code before it runs: advice for good errors, never the
// boundary.
//
// Code is read by Python's own parser, in a sandbox that is handed in
// ([Parser]): what comes back is hostile, bounded and decoded strictly. Rules
// are pure functions over it and over the text; each has a name, a line, a
// message. What the profile "strict" refuses, and with which words, is that of
// the articles; "default" refuses nothing that could work.
//
// Rules that an operator adds (lockdown, a pattern that got through) are part
// of every profile.
//
// It also masks personal data: phone numbers, national ids and bank cards by
// their check digits, e-mail addresses, and patterns of the operator.
package policy
