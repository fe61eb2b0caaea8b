package tools

import "github.com/cellwall/cellwall"

// Task is what a session is asked to do, as far as somebody has told: the caller,
// or [Classify] by the question.
type Task string

// The tasks.
const (
	TaskUnknown  Task = ""
	TaskSimple   Task = "simple"     // fields, counts, one measure by group, one chart
	TaskSteps    Task = "multi_step" // cleaning, own measures, statistics, exploring
	TaskExternal Task = "external"   // data from elsewhere, or files that are not the datasets
	TaskWrite    Task = "write"      // a change to a business system
)

// Human is how far a person has come whom the session asked.
type Human string

// The states of a question to a person.
const (
	HumanNone     Human = ""
	HumanWaiting  Human = "waiting"
	HumanApproved Human = "approved"
	HumanRejected Human = "rejected"
)

// State is all that is known of a session. The zero value is a session in which
// nothing has happened. Methods give another value and change nothing.
type State struct {
	NoSQL     bool   // query_data is not set up here
	Hosts     string // that fetch_data may fetch from, as a model is told; "" = there is no such tool
	Task      Task
	Inspected bool
	Tried     int  // calls of query_data and make_chart since the last question
	Unfit     int  // of these, in a row, those that failed
	Failures  int  // programs that failed, in a row
	Unheard   bool // nobody tells when the user speaks again, as in MCP
	Renewed   int  // how often SQL or a chart have given the tries again, since a program or the user did
	Fetched   int  // files that fetch_data has brought since the user asked for data from elsewhere
	Human     Human
	Stop      *cellwall.Stop // the budget that is used up
}

// mostFailures is after how many failed programs in a row a model gets no further
// try: the first article's rule.
const mostFailures = 2

// mostRenewed is how often SQL and charts give a model its tries again where nobody tells
// when the user speaks: an answer of theirs may be the end of the task that the failed
// programs were for, and must not be a way to try without end.
const mostRenewed = 1

// Asked is the state after a new question or an answer of the user's: who asks
// again has read what went wrong. A stop stays.
func (s State) Asked(t Task) State {
	if t != TaskUnknown {
		s.Task = t
	}
	if t == TaskExternal {
		s.Fetched = 0
	}
	s.Tried, s.Unfit, s.Failures, s.Renewed, s.Human = 0, 0, 0, 0, HumanNone
	return s
}

// Ran is the state after a call of a tool has ended well or not. A call that was
// refused is none.
func (s State) Ran(tool string, ok bool) State {
	switch tool {
	case InspectData:
		s.Inspected = s.Inspected || ok
	case QueryData, MakeChart:
		s.Tried++
		s.Unfit = counted(s.Unfit, ok)
		if ok && s.renews() {
			s.Failures, s.Renewed = 0, s.Renewed+1
		}
	case RunPython:
		if s.Failures = counted(s.Failures, ok); ok {
			s.Renewed = 0
		}
	case FetchData:
		if ok {
			s.Fetched++
		}
	}
	return s
}

// renews is whether SQL or a chart that ends well gives the tries again.
func (s State) renews() bool {
	return s.Unheard && s.Human != HumanRejected && s.Failures >= mostFailures && s.Renewed < mostRenewed
}

// Overran is the state after a program of ours was ended by a limit: the data are too
// large for it, whatever the question is, and a program that reads them in parts may do.
func (s State) Overran() State {
	s.Unfit = max(s.Unfit, mostFailures)
	return s
}

// counted goes on with a row of failures, or ends it.
func counted(row int, ok bool) int {
	if ok {
		return 0
	}
	return row + 1
}

// Escalated is the state in which a person has been asked.
func (s State) Escalated() State {
	s.Human = HumanWaiting
	return s
}

// Decided is the state after a person has said yes or no; one who was not asked
// changes nothing. A yes gives the model its tries again.
func (s State) Decided(yes bool) State {
	if s.Human != HumanWaiting {
		return s
	}
	s.Human = HumanRejected
	if yes {
		s.Human, s.Failures = HumanApproved, 0
	}
	return s
}

// Unanswered is the state after a question to a person that was none of the router's,
// or that nobody answered: as if nobody had been asked.
func (s State) Unanswered() State {
	s.Human = HumanNone
	return s
}

// Stopped is the state in which a budget is used up; nil lifts that.
func (s State) Stopped(stop *cellwall.Stop) State {
	s.Stop = stop
	return s
}
