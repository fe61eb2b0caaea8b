// Package agent answers a question about data with a model and the tools of
// package tools: plan, call, observe, repair, answer, within budgets.
//
// # The loop
//
// [Ask] sends the conversation to a [Model] with the tools that the [Toolbox]
// offers at this moment and no others, runs what it calls, one call after the
// other, and tells it what happened. It ends
//
//	answered      with text of the model's that calls no tool
//	stopped       when a budget is used up or a person is asked: the model says
//	              once more what it found, without tools
//	turns         after [Options.Turns] replies that all called tools
//	repeated      when it makes the same call for the third time in a row
//	malformed     after three replies in a row whose calls no schema takes
//	silent        after two replies in a row without a word
//	model_failed  when the endpoint does not answer
//	cancelled     by the caller
//
// A reply that broke off, is longer than it may be or takes too long is no reply
// (model_failed): an endpoint is trusted with nothing. A long conversation loses its
// oldest answers first; question and calls stay.
//
// Whatever a tool says is data: it comes back as a tool's message and nothing in
// it changes what is offered, which follows from [tools.State] alone.
//
// # What an answer carries
//
// Every number in the answer is looked for in what the executions printed
// ([Source]); a number that none of them gave is listed as such. The limits of the
// data – samples, missing values, warnings – come from the observations, not from
// the model. All of it stands in a [Transcript], which replays without a model.
package agent
