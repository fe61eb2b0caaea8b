package tools

import "strings"

// Stage is where a session stands: what is offered follows from it alone.
type Stage string

// The stages.
const (
	StageStopped Stage = "stopped"
	StageWaiting Stage = "waiting"
	StageNew     Stage = "new"
	StageClosed  Stage = "closed"
	StageStuck   Stage = "stuck"
	StageSimple  Stage = "simple"
	StageSteps   Stage = "steps"
)

// Stage says where the session stands.
func (s State) Stage() Stage {
	switch {
	case s.Stop != nil:
		return StageStopped
	case s.Human == HumanWaiting:
		return StageWaiting
	case !s.Inspected:
		return StageNew
	case s.Task == TaskExternal && !s.brought() || s.Task == TaskWrite:
		return StageClosed
	case s.Human == HumanRejected || s.Failures >= mostFailures:
		return StageStuck
	case s.Human == HumanApproved || s.Task == TaskSteps || s.brought() || s.Task == TaskUnknown && (s.Tried > 0 || s.NoSQL) || s.Unfit >= mostFailures:
		return StageSteps
	}
	return StageSimple
}

// Offer is whether a tool may be called now.
type Offer struct {
	Tool    string `json:"tool"`
	Offered bool   `json:"offered"`
	Why     string `json:"why"`
	Hosts   string `json:"hosts,omitempty"` // of fetch_data: where from
}

// Offers says it of every tool, in their order.
func (s State) Offers(l Language) []Offer {
	stage := s.Stage()
	names := s.names()
	list := make([]Offer, 0, len(names))
	for _, name := range names {
		offer := Offer{Tool: name, Offered: s.offers(name)}
		switch {
		case name == FetchData:
			offer.Why, offer.Hosts = l.Text(s.whyFetch(stage)), s.Hosts
		case s.lacks(name):
			offer.Why = l.Text(s.whyNoSQL())
		default:
			offer.Why = l.Text(s.why(stage, name))
		}
		list = append(list, offer)
	}
	return list
}

// offers is whether a tool may be called now.
func (s State) offers(tool string) bool {
	stage := s.Stage()
	if tool == FetchData {
		return s.mayFetch(stage)
	}
	return stage.offers(tool) && !s.lacks(tool)
}

// lacks is whether a tool is not to be had here, whatever the stage.
func (s State) lacks(tool string) bool { return tool == QueryData && s.NoSQL }

// offers is the table of doc.go.
func (stage Stage) offers(tool string) bool {
	switch stage {
	case StageStopped, StageWaiting:
		return false
	case StageNew:
		return tool == InspectData
	case StageSteps:
		return true
	case StageClosed, StageStuck, StageSimple:
		return tool != RunPython
	}
	return false
}

// Refusal is the answer to a call that is not offered.
type Refusal struct {
	Tool    string `json:"tool"`
	Stage   Stage  `json:"stage"`
	Reason  string `json:"reason"`
	Instead string `json:"instead,omitempty"` // the tool that would do it now; "" = none
	Next    string `json:"next"`              // what to do, in words
}

// Judge looks at a call before it is decoded any further: nil when it may be made.
// code is the program of run_python, to tell which tool would do it; "" otherwise.
func (s State) Judge(tool, code string, l Language) *Refusal {
	stage := s.Stage()
	if !s.exists(tool) {
		return &Refusal{
			Tool: tool, Stage: stage, Reason: l.Text(unknownTool, "tool", cut(tool, 64)), Next: l.Text(takeOne, "tools", l.list(s.offered())),
		}
	}
	if s.offers(tool) {
		return nil
	}
	r := &Refusal{Tool: tool, Stage: stage, Reason: l.Text(s.why(stage, tool))}
	switch {
	case tool == FetchData:
		return s.noFetch(r, l)
	case stage == StageClosed && s.offers(FetchData):
		r.Instead, r.Next = FetchData, l.Text(callThat, "tool", FetchData)
		return r
	case stage.offers(tool):
		r.Reason, r.Next = l.Text(s.whyNoSQL()), l.Text(takeOne, "tools", l.list(s.offered()))
		return r
	}
	switch stage {
	case StageStopped, StageWaiting, StageClosed, StageStuck:
		r.Next = s.next(stage, l)
		return r
	case StageNew:
		r.Instead = InspectData
	case StageSimple, StageSteps:
		r.Instead = s.fit(code)
	}
	r.Next = l.Text(callThat, "tool", r.Instead)
	return r
}

// noFetch fills the answer to a call of fetch_data that is not offered.
func (s State) noFetch(r *Refusal, l Language) *Refusal {
	r.Reason = l.Text(s.whyFetch(r.Stage))
	switch {
	case r.Stage == StageStopped || r.Stage == StageWaiting || r.Stage == StageClosed:
		r.Next = s.next(r.Stage, l)
	case !s.Inspected:
		r.Instead, r.Next = InspectData, l.Text(callThat, "tool", InspectData)
	default:
		r.Next = l.Text(takeOne, "tools", l.list(s.offered()))
	}
	return r
}

// offered lists what may be called now.
func (s State) offered() []string {
	var list []string
	for _, name := range s.names() {
		if s.offers(name) {
			list = append(list, name)
		}
	}
	return list
}

// fit is the plain tool that most likely does what a program wants to.
func (s State) fit(code string) string {
	if s.lacks(QueryData) {
		return MakeChart
	}
	for _, sign := range []string{"plt.", ".plot", "savefig", "sns."} {
		if strings.Contains(code, sign) {
			return MakeChart
		}
	}
	return QueryData
}

// cut shortens a name that somebody made up.
func cut(s string, most int) string {
	if r := []rune(strings.ToValidUTF8(s, "�")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.ToValidUTF8(s, "�")
}
