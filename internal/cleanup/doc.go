// Package cleanup undoes a setup of several steps in reverse order.
//
//	var undo cleanup.Stack
//	defer undo.Run()
//	dir, err := makeDir()
//	if err != nil {
//		return nil, err
//	}
//	undo.Add(dir.Remove)
//	…
//	undo.Release() // all went well: the caller owns it now
package cleanup
