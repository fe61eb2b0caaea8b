// Package rating says what people think of what models did: the means of their scores,
// and how far they agree.
//
// # Agreement
//
// [Alpha] is Krippendorff's α (K. Krippendorff, Computing Krippendorff's
// Alpha-Reliability, 2011): 1 is perfect agreement, 0 what chance would give, below 0
// is systematic disagreement. It takes any number of raters, and executions that not
// everybody has rated; those with one rating say nothing about agreement and are left
// out of it. Where everybody says the same of everything there is no α: nothing has
// varied that could have been agreed on.
//
// Scores are an order, not a scale: between 4 and 5 may lie more than between 2 and 3.
// The difference is therefore [Ordinal] unless [Interval] is asked for.
//
// # Summary
//
// [Sum] reads ratings, and [Summarize] groups them by the model, the prompt version and
// the environment that the executions name. A mean is one of ratings, not of means, so that an execution that
// five people rated weighs five times.
package rating
