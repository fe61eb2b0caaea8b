package policy

// The lists of the three articles that the product was asked for from, as facts.

// blockedTerms are the first article's: substrings in any case.
var blockedTerms = []string{"subprocess", "socket", "requests", "urllib", "os.environ", "open(", "__import__"}

// sensitiveModules are the second article's.
var sensitiveModules = []string{"os", "subprocess", "socket", "sys", "ctypes", "importlib", "pkgutil", "shutil"}

// allowedModules are the third article's.
var allowedModules = []string{
	"pandas", "numpy", "matplotlib", "seaborn", "json", "math", "statistics", "datetime", "collections",
}

// imageModules are what the images of the first article add to them.
var imageModules = map[string][]string{
	"python-stats":   {"scipy", "statsmodels"},
	"python-ml-lite": {"scipy", "statsmodels", "sklearn"},
	"python-full":    {"scipy", "statsmodels", "sklearn"},
}

// forbiddenBuiltins are the third article's: the list of its restricted exec, and
// the longer one. import is a keyword and no name: it stands there all the same.
var forbiddenBuiltins = []string{
	"exec", "eval", "compile", "open", "import", "__import__", "vars", "globals", "locals", "dir", "getattr", "setattr", "delattr",
}

// forbiddenTexts are what the third article's restricted exec searches for.
var forbiddenTexts = []string{"import os", "import sys", "subprocess", "__class__", "__bases__", "open("}

// dangerousAttributes are those of its patterns that are names.
var dangerousAttributes = []string{
	"__class__", "__bases__", "__subclasses__", "__globals__", "__builtins__", "__code__", "__dict__",
}

// dangerousPatterns are the third article's. RE2 reads them as Python does,
// except that \s and \d are ASCII here: no other space or digit can stand in a
// program there.
var dangerousPatterns = []string{
	`__class__`, `__bases__`, `__subclasses__`, `__globals__`, `__builtins__`, `__code__`, `__dict__`,
	`chr\(\s*\d+\s*\)`, `\\x[0-9a-fA-F]{2}`,
	`exec\s*\(`, `eval\s*\(`, `open\s*\(`,
	`import\s+os`, `import\s+sys`, `import\s+subprocess`,
}

// forbiddenModules are the third article's second list. Whoever allows only
// allowedModules needs none; they are looked for in strings that hide their text.
var forbiddenModules = []string{
	"os", "sys", "subprocess", "socket", "requests", "urllib", "http", "ftplib", "smtplib", "pickle", "shelve",
	"ctypes", "cffi", "importlib", "builtins",
}
