// Package mask takes personal data out of text: what a model is told, and what is
// kept of it.
//
// # What is found
//
//	phone    mobile numbers of mainland China (11 digits, 13… to 19…), with or without
//	         +86, 86 or 0086, in one piece or grouped; numbers that are written as
//	         E.164 has them: + and a country code that exists
//	id       resident identity numbers of 18 digits (GB 11643): a province that exists, a
//	         birth date that exists, the right check digit (ISO 7064, MOD 11-2)
//	card     14 to 19 digits that begin as cards do and pass the check of ISO/IEC 7812
//	         (Luhn): UnionPay, Visa, Mastercard, Amex, JCB, Diners, Discover; in one piece
//	         or in the groups that are printed on cards
//	email    addresses whose domain ends in one that is given out, or in one that
//	         networks use inside (.internal, .local, .test …); of a longer token before
//	         the @ the last 64 characters
//	custom   whatever the caller's own patterns match (RE2)
//
// Digits may be wide (０–９). What separates groups is one space or one hyphen, the
// same all through. A number is taken as a whole or not at all: digits that go on,
// letters beside it, a fraction, an exponent make it something else.
//
// # What replaces it
//
// Every digit but the last four becomes a star; of an address everything before the
// @ but its first character; of a custom match everything. A star takes the place of one
// character and as many bytes as it has. So lengths, columns and offsets stay what they were, and text
// that is masked already is left as it is.
//
// # What it costs
//
// Hostile text costs time that is linear in its length: a few nanoseconds a byte for what
// is found without being asked for, and for custom patterns at most a few for each byte
// and each step of all of them together (a step is about a character of the expression;
// X{n,m} has as many as if X were written m times). Patterns of more steps than 2048 are
// refused. Package regexp finds all matches in time that is linear only for each of them,
// and a text can have as many as characters: see [search].
//
// # Long lines
//
// A line of more than 17 KiB is looked at in parts of 16 KiB: of what begins in one, a
// custom pattern finds what ends within the next KiB.
//
// # Columns
//
// [Columns] is a program that writes a table anew without what some of its columns hold.
// It runs in a sandbox of its own, before any other code: what runs on the new table
// cannot reach the old one, whatever it does.
//
// # Not found
//
// What a program hides: digits in words, reversed, in base64, drawn in a picture. That
// is for the wall and for columns that are withheld before code sees them. No model is
// shown a picture where masking is on, but who opens it sees what was drawn. Nor landlines
// without +, numbers of identity cards of 15 digits, names, addresses of houses, numbers
// with a dot between groups, addresses with letters beyond ASCII.
package mask
