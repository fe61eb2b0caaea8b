package abuse

import "github.com/cellwall/cellwall"

// Admitted siblings that several cases share. Each must end ok and print its
// ADMITTED line.

func writes() Program {
	return Program{File: "sibling_write.py", Expect: Expect{Prints: []string{"ADMITTED 4096"}, Kept: []string{"result.txt"}}}
}

func looksAtItself() Program {
	return Program{File: "sibling_proc.py", Expect: Expect{Prints: []string{"ADMITTED True True True"}}}
}

func leavesArtifacts() Program {
	return Program{File: "sibling_artifacts.py", Expect: Expect{
		Prints: []string{"ADMITTED 3"},
		Kept:   []string{"charts/2024/table.csv", "图表.txt", "quarter report (final).md"},
	}}
}

func usesDisk(l cellwall.Limits) Program {
	return Program{File: "sibling_disk.py", Limits: l, Expect: Expect{Prints: []string{"ADMITTED True"}, Kept: []string{"data.txt"}}}
}

func readsInput() Program {
	return Program{
		File: "sibling_input.py", Inputs: numbers(),
		Expect: Expect{Prints: []string{"ADMITTED ['n', '1', '2', '3']"}, Kept: []string{"copy.csv"}},
	}
}

func numbers() []File { return []File{{Name: "numbers.csv", Data: []byte("n\n1\n2\n")}} }

func runsChildren() Program {
	return Program{File: "sibling_children.py", Expect: Expect{Prints: []string{"ADMITTED [0, 1, 4, 9] 8 child"}}}
}

func usesMemory(l cellwall.Limits) Program {
	return Program{File: "sibling_memory.py", Limits: l, Expect: Expect{Prints: []string{"ADMITTED"}}}
}

func works(l cellwall.Limits) Program {
	return Program{File: "sibling_busy.py", Limits: l, Expect: Expect{Prints: []string{"ADMITTED ['alarm']"}}}
}

func signalsItsOwn() Program {
	return Program{File: "sibling_signals.py", Expect: Expect{Prints: []string{"ADMITTED -15 3"}}}
}

func callsNative() Program {
	return Program{File: "sibling_native.py", Expect: Expect{Prints: []string{"ADMITTED [0, 1, 2, 3] True"}}}
}

func importsModules() Program {
	return Program{File: "sibling_modules.py", Expect: Expect{Prints: []string{"ADMITTED 42 prophet"}}}
}

func patchesItself() Program {
	return Program{File: "sibling_patch.py", Expect: Expect{Prints: []string{"ADMITTED caught 100"}}}
}

func exitsWell() Program {
	return Program{File: "sibling_exit.py", Expect: Expect{Prints: []string{"ADMITTED"}}}
}

func printsMuch() Program {
	return Program{File: "sibling_output.py", Expect: Expect{Prints: []string{"row 0 销售额", "ADMITTED ü"}}}
}

func showsErrors() Program {
	return Program{File: "sibling_error.py", Expect: Expect{Prints: []string{"ADMITTED no such column: 利润 KeyError('missing')"}}}
}
