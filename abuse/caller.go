package abuse

// Caller is how whoever asked for a run behaves while it runs.
type Caller string

// The callers. All but the first two act at the first output of the run.
const (
	CallerStays  Caller = ""       // waits for the end
	CallerStalls Caller = "stalls" // takes not even word of the start for twice the time that the run has
	CallerPauses Caller = "pauses" // the same, at the first output
	CallerLeaves Caller = "leaves" // goes away: the request's context ends
	CallerBreaks Caller = "breaks" // takes no more events
)

// CallerOf returns who asks for a run.
func (p Program) CallerOf(run int) Caller {
	if len(p.Callers) == 0 {
		return CallerStays
	}
	return p.Callers[run%len(p.Callers)]
}
