package environment

// Step names a stage of a build, in order.
type Step string

// The steps of a build. A step without work to do is not reported.
const (
	StepWait     Step = "wait"     // another build of this name is running
	StepDebs     Step = "debs"     // download Debian packages; bytes
	StepWheels   Step = "wheels"   // download Python packages; bytes
	StepUnpack   Step = "unpack"   // Debian packages; archives
	StepInstall  Step = "install"  // Python packages; archives
	StepBytecode Step = "bytecode" // warm-up and compile; modules
	StepManifest Step = "manifest" // hash; bytes
	StepPack     Step = "pack"     // measure the packed size; bytes
	StepNotice   Step = "notice"   // Item is a sentence the operator must see
)

// Event is one report of progress. Done and Total count what the step's
// comment says; Total 0 means unknown.
type Event struct {
	Step  Step
	Item  string // what is being worked on
	Done  int64
	Total int64
}

// Progress receives events, one at a time, from the goroutine that builds. Nil
// is silence.
type Progress func(Event)

func (p Progress) report(step Step, item string, done, total int64) {
	if p != nil {
		p(Event{Step: step, Item: item, Done: done, Total: total})
	}
}

func (p Progress) notice(sentence string) { p.report(StepNotice, sentence, 0, 0) }
