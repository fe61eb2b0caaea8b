package policy

import "slices"

// What to use in place of what is refused.
const (
	insteadModule  = "pandas, numpy, matplotlib, seaborn, json, math, statistics, datetime or collections; data that was given is loaded as df"
	insteadBuiltin = "plain pandas: columns of a table t by t[\"name\"], files by out_dir"
	insteadPattern = "plain names and text, written out"
	insteadSystem  = "df and dfs for data that was given, out_dir for files; the system around the program is not needed"
	insteadNetwork = "the data that was given: df and dfs; what is missing has to be uploaded first"
	insteadSyntax  = "the whole program again as plain Python, without Markdown or text around it"
)

// Shipped returns the rules of a profile as they come. They may be changed and
// given to Compile.
func Shipped(p Profile) Rules {
	switch named(p) {
	case Default:
		return defaultRules()
	case Execute:
		return executeRules()
	case Strict:
		return strictRules()
	}
	return nil
}

// defaultRules refuse nothing: what cannot work is told by the interpreter
// itself, in the same milliseconds and with its own words.
func defaultRules() Rules {
	return Rules{
		{
			Name: "network", Look: LookImports, Message: "{module} needs a network, and the sandbox has none", Instead: insteadNetwork,
			For: []string{
				"requests", "httpx", "aiohttp", "urllib3", "urllib.request", "http.client", "ftplib", "smtplib", "imaplib", "poplib",
				"telnetlib", "websocket", "websockets", "paramiko", "boto3", "yfinance", "psycopg2", "pymysql", "redis",
			},
		},
		{
			Name: "display", Look: LookImports, Message: "{module} needs a screen, and the sandbox has none",
			For: []string{"tkinter", "turtle", "pygame", "PyQt5", "PyQt6", "PySide6"}, Instead: "matplotlib: every figure comes back as an image",
		},
		{
			Name: "input", Look: LookCalls, For: []string{"input"}, Message: "nobody answers {name}() in the sandbox",
			Instead: "the value itself, written into the program",
		},
	}
}

// executeRules are the second article's static_code_check.
func executeRules() Rules {
	return Rules{
		{Name: "syntax", Look: LookSyntax, Plain: true, Refuse: true, Message: "Invalid syntax: {message}", Instead: insteadSyntax},
		{
			Name: "import", Look: LookImports, For: slices.Clone(sensitiveModules), Refuse: true,
			Message: "Sensitive module {module} is forbidden", Instead: insteadSystem,
		},
	}
}

// strictRules are those of the first and the third article, and two of our own
// for what these cannot see: strings whose text does not stand in the program.
func strictRules() Rules {
	hidden := slices.Concat(dangerousAttributes, []string{"__import__", "os.environ"})
	return Rules{
		{Name: "syntax", Look: LookSyntax, Plain: true, Refuse: true, Message: "Invalid syntax: {message}", Instead: insteadSyntax},
		{
			Name: "import", Look: LookImport, For: slices.Clone(allowedModules), Others: true, Also: imageModules, Refuse: true,
			Message: "禁止 import 模块: {name}", Instead: insteadModule,
		},
		{
			Name: "import", Look: LookFrom, For: slices.Clone(allowedModules), Others: true, Also: imageModules, Refuse: true,
			Message: "禁止 from {module} import", Instead: insteadModule,
		},
		{Name: "builtin", Look: LookNames, For: slices.Clone(forbiddenBuiltins), Refuse: true, Message: "禁止使用: {name}", Instead: insteadBuiltin},
		{
			Name: "attribute", Look: LookNames, For: slices.Clone(dangerousAttributes), Refuse: true,
			Message: "禁止使用: {name}", Instead: insteadBuiltin,
		},
		{
			Name: "attribute", Look: LookAttribute, For: slices.Clone(dangerousAttributes), Refuse: true,
			Message: "禁止使用: {name}", Instead: insteadBuiltin,
		},
		{Name: "text", Look: LookTexts, For: slices.Clone(forbiddenTexts), Refuse: true, Message: "禁止使用: {term}", Instead: insteadBuiltin},
		{Name: "hidden", Look: LookHidden, For: hidden, Refuse: true, Message: "禁止使用: {name}", Instead: insteadPattern},
		{
			Name: "hidden", Look: LookWhole, For: slices.Concat(forbiddenModules, forbiddenBuiltins), Refuse: true,
			Message: "禁止使用: {name}", Instead: insteadPattern,
		},
		{Name: "term", Look: LookTerms, For: slices.Clone(blockedTerms), Refuse: true, Message: "代码包含不允许的操作: {term}", Instead: insteadSystem},
		{Name: "pattern", Look: LookPatterns, For: slices.Clone(dangerousPatterns), Refuse: true, Message: "检测到危险模式: {pattern}", Instead: insteadPattern},
	}.Clone()
}
