// Package testkit holds what tests of several rooms need: children in which
// dangerous things may happen, and skips that cannot hide a regression.
//
// A skip has to be provable: it prints what the host said, and where the host's
// kernel is new enough and no rule of the host explains the refusal, it is a
// failure instead.
package testkit
