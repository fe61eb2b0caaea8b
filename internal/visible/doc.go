// Package visible says which characters show and which act: the one list that
// what is shown to models, people and programs is held to, and that the corpus
// of attacks judges by.
//
//	Shows  a printable character: neither a control nor a format character
//	Hides  makes text read otherwise than it is: it reorders its neighbours, ends
//	       a line, stands between letters without a width, or spells a message
//	       that only a model sees (the tag characters)
//	Acts   Hides, or is a control character other than newline and tab
//
// Whatever acts does not show. Of what does not show the marks that ordinary
// text in Arabic, Hebrew or Indic scripts and emoji need (200C to 200F, 061C)
// and the soft hyphen do not act.
package visible
