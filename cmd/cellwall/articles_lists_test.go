package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/tools"
)

// The articles' lists as they stand there, written down here once more: what the
// product ships is held to them word by word, and not to itself.
const (
	firstsTerms      = `subprocess socket requests urllib os.environ open( __import__`
	secondsModules   = `os subprocess socket sys ctypes importlib pkgutil shutil`
	thirdsAllowed    = `pandas numpy matplotlib seaborn json math statistics datetime collections`
	thirdsModules    = `os sys subprocess socket requests urllib http ftplib smtplib pickle shelve ctypes cffi importlib builtins`
	thirdsBuiltins   = `exec eval compile open __import__ vars globals locals dir getattr setattr delattr`
	thirdsForbidden  = `exec eval open __import__ compile` // of its restricted exec; import is a keyword
	thirdsAttributes = `__class__ __bases__ __subclasses__ __globals__ __builtins__ __code__ __dict__`
)

// thirdsPatterns are its regular expressions, each with a text that it finds.
var thirdsPatterns = map[string]string{
	`__class__`: "x.__class__", `__bases__`: "x.__bases__", `__subclasses__`: "x.__subclasses__()", `__globals__`: "f.__globals__",
	`__builtins__`: "f.__builtins__", `__code__`: "f.__code__", `__dict__`: "f.__dict__", `chr\(\s*\d+\s*\)`: "x = chr(111) + chr(115)",
	`\\x[0-9a-fA-F]{2}`: `x = '\x6f\x73'`, `exec\s*\(`: "exec ('1')", `eval\s*\(`: "eval('1')", `open\s*\(`: "open ('f')",
	`import\s+os`: "import  os", `import\s+sys`: "import sys", `import\s+subprocess`: "import subprocess",
}

func TestM32_TheArticlesListsAreWhole(t *testing.T) {
	_, check := realChain(t)
	everyWordIsRefused(t, check)
	allowedPasses(t, check)
}

// checker is the chain over one program.
type checker func(source string, p policy.Profile) ([]cellwall.Finding, policy.Verdict)

func everyWordIsRefused(t *testing.T, check checker) {
	t.Helper()
	want := func(p policy.Profile, source, message string) {
		t.Helper()
		found, verdict := check(source, p)
		if verdict != policy.Refuse || !slices.ContainsFunc(messages(found), func(m string) bool { return strings.HasSuffix(m, " "+message) }) {
			t.Errorf("%s of %q: %s by %q, want %q", p, source, verdict, messages(found), message)
		}
	}
	for _, term := range strings.Fields(firstsTerms) {
		for _, source := range []string{"x = 1 # " + term, "x = '" + strings.ToUpper(term) + "'"} {
			want(policy.Strict, source, "代码包含不允许的操作: "+term)
		}
	}
	for _, module := range strings.Fields(secondsModules) {
		want(policy.Execute, "import "+module, "Sensitive module "+module+" is forbidden")
		want(policy.Execute, "from "+module+" import x", "Sensitive module "+module+" is forbidden")
	}
	for _, module := range strings.Fields(thirdsModules) {
		want(policy.Strict, "import "+module, "禁止 import 模块: "+module)
		want(policy.Strict, "from "+module+" import x", "禁止 from "+module+" import")
	}
	for _, name := range slices.Concat(strings.Fields(thirdsBuiltins), strings.Fields(thirdsForbidden), strings.Fields(thirdsAttributes)) {
		want(policy.Strict, "f = "+name, "禁止使用: "+name)
	}
	for pattern, source := range thirdsPatterns {
		want(policy.Strict, source, "检测到危险模式: "+pattern)
	}
	if len(thirdsPatterns) != 15 {
		t.Errorf("%d patterns, the article has 15", len(thirdsPatterns))
	}
}

// What the articles allow passes strict; what their texts find where nothing is
// meant by it passes default, which is what users have.
func allowedPasses(t *testing.T, check checker) {
	t.Helper()
	for _, module := range strings.Fields(thirdsAllowed) {
		if found, verdict := check("import "+module+"\nfrom "+module+" import x", policy.Strict); verdict != policy.Pass {
			t.Errorf("%s is %s: %+v", module, verdict, found)
		}
	}
	for _, alarm := range []string{
		"df['requests'].sum()", "x = 1 # no socket here", "import osmnx", "df.eval('a + b')", "fig.canvas.reopen()", "label = 'open('", "x = chr(65)",
		"x = '\\x41'", "print('import os')", "df['subprocess_id']", "y = df.urllib_errors", "import os\nprint(os.path.basename('a/b'))", "open('out.txt', 'w').write('1')",
	} {
		if found, verdict := check(alarm, policy.Default); verdict == policy.Refuse {
			t.Errorf("default refuses %q: %+v", alarm, found)
		}
		if _, verdict := check(alarm, policy.Strict); verdict != policy.Refuse {
			t.Errorf("strict passes %q: then it is no false alarm of the articles", alarm)
		}
	}
}

// The first article: fixed images, chosen by the task.
func TestM29_AskTakesTheImageThatItsQuestionNeeds(t *testing.T) {
	state := t.TempDir()
	linkEnvironments(t, state)
	for _, tt := range []struct{ question, given, state, want, says string }{
		{"按地区汇总销售额", "", state, tools.ImageBasic, ""},
		{"对企业做聚类分析", "", state, tools.ImageLearning, ""},
		{"对企业做聚类分析", tools.ImageStats, state, tools.ImageStats, ""},
		{"对企业做聚类分析", "", t.TempDir(), tools.ImageBasic, "python-ml-lite would fit this question and is not built"},
		{"两组差异的显著性", "", t.TempDir(), tools.ImageBasic, "python-stats would fit this question and is not built"},
	} {
		store := openStore(&config{StateDir: tt.state})
		if _, err := store.Open(tt.want); err != nil && tt.says == "" {
			t.Logf("%s is not built here: that row is for another host", tt.want)
			continue
		}
		out, err := os.Create(t.TempDir() + "/stderr")
		if err != nil {
			t.Fatal(err)
		}
		p, v := newProgram(), &askVerb{Env: tt.given}
		p.stderr = newScreen(out)
		v.image(p, store, tt.question)
		said, err := os.ReadFile(out.Name())
		out.Close()
		if err != nil || v.Env != tt.want || !strings.Contains(string(said), tt.says) || (tt.says == "") != (len(said) == 0) {
			t.Errorf("%s: %s, said %q (%v), want %s", tt.question, v.Env, said, err, tt.want)
		}
	}
}
