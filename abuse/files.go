package abuse

func files() []Case {
	return []Case{{
		ID: "F1", Title: "write to the root, to the interpreter and to its packages",
		Boundary: "read-only root",
		Attack: Program{File: "F1.py", Expect: Expect{
			Held: []string{"root", "usr", "etc", "stdlib", "site-packages", "bin", "overwrite", "chmod", "rename"},
		}},
		Sibling: Program{File: "F1_sibling.py", Expect: Expect{Prints: []string{"ADMITTED 4096"}, Kept: []string{"result.txt"}}},
	}}
}
