package controller

import "context"

// destroy gives the sandbox up, whatever happened to it, unless a session lives
// on in it. The pool closes it in the background.
func (x *execution) destroy(ctx context.Context) {
	if x.sandbox != nil && !x.kept {
		_, done := x.stage(ctx, StageDestroy)
		defer done(nil)
		x.pool.Destroy(x.sandbox)
		x.sandbox = nil
	}
}
