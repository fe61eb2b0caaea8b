package main

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap, which is a few megabytes, grow to five times what is
// alive before it is collected: 2 % more runs a second.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)
	if child, ok := hidden()[verb(os.Args)]; ok {
		os.Exit(child(os.Args[2:]))
	}
	os.Exit(newProgram().main(os.Args[1:]))
}

func verb(args []string) string {
	if len(args) < 2 {
		return ""
	}
	return args[1]
}
