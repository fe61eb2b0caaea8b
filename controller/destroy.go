package controller

// destroy gives the sandbox up, whatever happened to it, unless a session lives
// on in it. The pool closes it in the background.
func (x *execution) destroy() {
	if x.sandbox != nil && !x.kept {
		x.pool.Destroy(x.sandbox)
		x.sandbox = nil
	}
}
