package abuse

// MostUnshown is how many rows may go without a control that shows them at work.
// More would make the corpus a list of refusals that nothing has tried.
const MostUnshown = 15

// Unshown says why a host may be unable to show an attack at work, and asks it.
type Unshown struct {
	Why string // a sentence: what the control would need
	// Probe looks at this host, as the controller's user, and harms nothing. It
	// returns what it saw, and whether that proves that the control is not
	// possible here. Where it does not, the control runs as any other.
	Probe func() (proof string, lacking bool)
}
