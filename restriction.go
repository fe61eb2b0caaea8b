package cellwall

// Restriction is what the interpreter itself keeps from code, behind any wall: the
// restricted interpreter of the profile strict. It is advice with good words and can
// be got around; the wall does not depend on it.
type Restriction struct {
	Imports []ImportRule `json:"imports"` // of the code's own statements; what libraries import is theirs
	// Builtins are names whose builtin only says its words when it is called.
	Builtins map[string]string `json:"builtins"`
}

// ImportRule refuses import statements.
type ImportRule struct {
	Modules []string `json:"modules"` // dotted; each stands for those below it
	Others  bool     `json:"others"`  // those that are not in Modules are refused, else those that are
	Plain   bool     `json:"plain"`   // of "import m"
	From    bool     `json:"from"`    // of "from m import"
	Message string   `json:"message"` // {module} is the dotted name, {name} its first part
}
