// Package figure shows a figure in a terminal that can show figures.
//
// # Trust
//
// A figure comes out of a sandbox, and whatever shows it will decode it: a
// terminal is handed as little as can be. [Check] takes a PNG apart into its
// chunks without decoding any pixel: signature, lengths, checksums, order,
// dimensions within [MaxPixels], bytes within [MaxBytes]. What it returns is put
// together anew of the chunks that make the picture; texts, profiles, times and
// whatever follows the end are left out.
//
// Pixels are decoded in one place only, a sandbox: sixel is a drawing and no
// file, so a program turns the PNG into one behind the wall ([SixelProgram]), and
// [InSixel] lets through what is a drawing of the right size by a strict grammar.
//
// # Protocols
//
//	kitty   ESC _ G … ESC \    the PNG, in pieces of 4 KiB base64
//	iterm   ESC ] 1337 … BEL   the PNG, in one piece
//	sixel   ESC P q … ESC \    six rows of pixels at a time
//
// Which one a terminal speaks is asked of it ([Question]): kitty's own query,
// whose answer begins with what nobody else answers, and then its primary
// attributes, which every terminal answers, so that the wait has an end. The
// iTerm protocol has no query; those that speak it say who they are in the
// environment.
package figure
