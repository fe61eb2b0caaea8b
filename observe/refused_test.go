package observe

import (
	"strings"
	"testing"

	"github.com/cellwall/cellwall"
)

// raised is an input for an exception on one line of code.
func raised(kind, message, name, code string, refused ...string) Input {
	in := failed(cellwall.ExecutionError{
		Type: kind, Message: message, Name: name, Line: 1, Excerpt: code,
		Traceback: "Traceback (most recent call last):\n  File \"<cell>\", line 1, in <module>\n    " + code + "\n" + kind + ": " + message + "\n",
	})
	for _, call := range refused {
		in.Refused = append(in.Refused, cellwall.Refusal{Call: call, Count: 1})
	}
	return in
}

// TestP24_AnErrorNumberIsReadByWhatWasRefused tells the wall's answers from the
// same error numbers of another origin.
func TestP24_AnErrorNumberIsReadByWhatWasRefused(t *testing.T) {
	const denied, family = "[Errno 1] Operation not permitted", "[Errno 97] Address family not supported by protocol"
	for name, c := range map[string]struct {
		in   Input
		want class
	}{
		"a refused call":                   {raised("PermissionError", denied, "", "os.unshare(f)", "unshare"), classSyscall},
		"a right that is missing":          {raised("PermissionError", denied, "", "os.nice(-5)"), classRights},
		"an owner that is not mapped":      {raised("OSError", "[Errno 22] Invalid argument: 'a'", "a", "os.chown('a', 0, 0)"), classRights},
		"an argument that is wrong":        {raised("OSError", "[Errno 22] Invalid argument: 'a'", "a", "os.truncate('a', -1)"), classOther},
		"the network by its family":        {raised("OSError", family, "", "socket.socket()", "socket(AF_INET)"), classNetwork},
		"another family":                   {raised("OSError", family, "", "socket.socket(f)", "socket(AF_VSOCK)"), classSocket},
		"network and another family":       {raised("OSError", family, "", "socket.socket()", "socket(AF_NETLINK)", "socket(AF_INET)"), classNetwork},
		"a refused socket and a full disk": {raised("OSError", "[Errno 28] No space left on device", "", "f.write(b)", "socket(AF_INET)"), classDisk},
		"memory":                           {raised("OSError", "[Errno 12] Cannot allocate memory", "", "mmap.mmap(-1, n)"), classMemory},
		"memory beside a refused call":     {raised("OSError", "[Errno 12] Cannot allocate memory", "", "mmap.mmap(-1, n)", "ptrace"), classMemory},
		"huge pages":                       {raised("OSError", "[Errno 12] Cannot allocate memory", "", "mmap.mmap(-1, n, flags=f)", "mmap(MAP_HUGETLB)"), classSyscall},
		"a request to a device":            {raised("OSError", "[Errno 25] Inappropriate ioctl for device", "", "fcntl.ioctl(f, 0x5412, b)", "ioctl(TIOCSTI)"), classSyscall},
		"no terminal":                      {raised("termios.error", "(25, 'Inappropriate ioctl for device')", "", "termios.tcgetattr(0)"), classTerminal},
		"a helper that met a refusal":      {raised("EOFError", "", "", "multiprocessing.Manager()", "bind"), classSyscall},
		"an end of a file":                 {raised("EOFError", "Ran out of input", "", "pickle.load(f)"), classOther},
		"an end of the input":              {raised("EOFError", "EOF when reading a line", "", "input()"), classInput},
	} {
		if got := newObserver(c.in).fault().class; got != c.want {
			t.Errorf("%s: class %s, want %s", name, got, c.want)
		}
	}
}

// TestP24_AWriteIsToldFromARead takes the direction from the failing line.
func TestP24_AWriteIsToldFromARead(t *testing.T) {
	missing := func(name, code string) Input {
		return raised("FileNotFoundError", "[Errno 2] No such file or directory: '"+name+"'", name, code)
	}
	for code, c := range map[string]struct {
		in   Input
		want class
	}{
		"savefig":   {missing("/data/a.png", "plt.savefig('/data/a.png')"), classFolder},
		"mode":      {missing("plots/a.txt", "open('plots/a.txt', 'w')"), classFolder},
		"variable":  {missing("/data/a.csv", "t.to_csv(path)"), classFolder},
		"read":      {missing("/mnt/data/a.csv", "pd.read_csv('/mnt/data/a.csv')"), classFile},
		"weather":   {missing("/mnt/weather.csv", "pd.read_csv(\"/mnt/weather.csv\")"), classFile},
		"then":      {missing("/mnt/a.csv", "pd.read_csv('/mnt/a.csv').to_csv('b.csv')"), classFile},
		"plain":     {missing("a.csv", "pd.read_csv('a.csv').to_csv('b.csv')"), classFile},
		"program":   {missing("ls", "subprocess.check_output(['ls'])"), classShell},
		"shell":     {missing("/bin/sh", "p = run('ls', shell=True)"), classShell},
		"installer": {missing("pip", "subprocess.run(['pip', 'install', 'x'])"), classInstall},
		"no call":   {missing("ls", "open('ls')"), classFile},
	} {
		if got := newObserver(c.in).fault().class; got != c.want {
			t.Errorf("%s: class %s, want %s", code, got, c.want)
		}
	}
}

// TestP24_TheCauseOfAChainGivesTheHint reads what the code itself caught and
// wrapped.
func TestP24_TheCauseOfAChainGivesTheHint(t *testing.T) {
	chain := func(code, first string, between string) Input {
		in := raised("RuntimeError", "it did not work", "", "raise RuntimeError('it did not work')", "socket(AF_INET)")
		in.Result.Error.Traceback = "Traceback (most recent call last):\n  File \"<cell>\", line 1, in <module>\n    " + code + "\n" + first +
			"\n" + between + "\n" + in.Result.Error.Traceback
		return in
	}
	for name, c := range map[string]struct {
		in   Input
		want class
		hint string
	}{
		"a network":  {chain("socket.socket()", "OSError: [Errno 97] Address family not supported by protocol\n", chained[0]), classNetwork, "network is off"},
		"a module":   {chain("import xgboost", "ModuleNotFoundError: No module named 'xgboost'\n", chained[1]), classModule, `"xgboost" is not installed`},
		"a disk":     {chain("f.write(b)", "OSError: [Errno 28] No space left on device\n", chained[0]), classDisk, "no space left"},
		"an unknown": {chain("f()", "Exception: odd\n", chained[0]), classOther, "failing line"},
		"no chain":   {raised("RuntimeError", "odd", "", "raise RuntimeError('odd')"), classOther, "failing line"},
	} {
		if got := newObserver(c.in).fault().class; got != c.want {
			t.Errorf("%s: class %s, want %s", name, got, c.want)
		}
		o := Observe(c.in)
		if !strings.Contains(o.RetryHint, c.hint) || !strings.HasPrefix(o.ErrorMessage, c.in.Result.Error.Message) {
			t.Errorf("%s: message %q, hint %q", name, o.ErrorMessage, o.RetryHint)
		}
	}
}

// TestP24_RefusedCallsAreNamedWhateverTheEnd looks at every status.
func TestP24_RefusedCallsAreNamedWhateverTheEnd(t *testing.T) {
	for _, status := range []cellwall.Status{
		cellwall.StatusOK, cellwall.StatusError, cellwall.StatusTimeout, cellwall.StatusMemoryLimit, cellwall.StatusProcessLimit,
		cellwall.StatusDiskLimit, cellwall.StatusOutputLimit, cellwall.StatusCrashed, cellwall.StatusCancelled,
	} {
		in := Input{
			Result:  &cellwall.Result{Status: status, OK: status == cellwall.StatusOK},
			Refused: []cellwall.Refusal{{Call: "bpf", Count: 1200}, {Call: "ptrace", Count: 1}},
		}
		if told := strings.Join(Observe(in).Warnings, "\n"); !strings.Contains(told, "bpf × 1,200, ptrace") {
			t.Errorf("%s: warnings %q", status, told)
		}
	}
}

// TestM31_ARefusalTellsItsLineAsANumber keeps the quotation marks of names out of it.
func TestM31_ARefusalTellsItsLineAsANumber(t *testing.T) {
	in := Input{Result: &cellwall.Result{Status: cellwall.StatusRefused, Findings: []cellwall.Finding{
		{Rule: "import", Line: 1, Message: "no subprocess"}, {Rule: "import", Line: 1200, Message: "no socket", Instead: "df"},
	}}}
	for language, want := range map[string]string{
		"en": "line 1: no subprocess [import]\nline 1200: no socket [import]; instead: df",
		"zh": "第 1 行：no subprocess [import]\n第 1200 行：no socket [import]；可改用：df",
	} {
		in.Language = language
		if got := Observe(in).ErrorMessage; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
