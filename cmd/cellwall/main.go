package main

import "os"

func main() {
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
