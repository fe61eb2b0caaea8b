package abuse

import "fmt"

// MostUnshown is how many rows may go without a control that shows them at work:
// the one that says so itself, and three of which a kernel may have nothing.
// More would make the corpus a list of refusals that nothing has tried.
const MostUnshown = 4

// Unshown says why a host may be unable to show an attack at work, and asks it.
type Unshown struct {
	Why string // a sentence: what the control would need
	// Probe looks at this host, as the controller's user, and harms nothing. It
	// returns what it saw, and whether that proves that the control is not
	// possible here. Where it does not, the control runs as any other.
	Probe func() (proof string, lacking bool)
}

// Lacking asks the host about a whole row: what to say of it, and whether its
// control is not possible here. Most rows can be shown everywhere.
func Lacking(c Case) (note string, lacking bool) {
	if c.Control.Unshown == nil {
		return "", false
	}
	proof, lacking := c.Control.Unshown.Probe()
	return notShown("control", c.Control.Unshown.Why, proof), lacking
}

// notShown is how everything is told that a host cannot show: a row or one of
// its attempts, why, and what proves it ("" = nothing on this host could).
func notShown(what, why, proof string) string {
	if proof == "" {
		return fmt.Sprintf("%s not possible here: %s", what, why)
	}
	return fmt.Sprintf("%s not possible here: %s; proof: %s", what, why, proof)
}
