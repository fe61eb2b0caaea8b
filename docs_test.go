package cellwall_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// A reader who is sent to a file or a test that is not there trusts no line of
// the document any more.
func TestDocumentsNameWhatExists(t *testing.T) {
	tests := namesOfTests(t)
	for _, name := range []string{"docs/ARCHITECTURE.md", "docs/THREATS.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at, line := range strings.Split(string(text), "\n") {
			for _, file := range missingFiles(line) {
				t.Errorf("%s:%d names %s, which is not there", name, at+1, file)
			}
			for _, test := range testInItalics.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(tests, "func "+test[1]) {
					t.Errorf("%s:%d names %s, which nobody wrote", name, at+1, test[1])
				}
			}
		}
	}
	if got := missingFiles("| x | `linux/nowhere.go`, `nothing.go` and `limits.go` · `pool/doc.go`, `kind.go`, `gone.go` |"); len(got) != 3 {
		t.Errorf("of three files that are missing these were found: %v", got)
	}
}

var (
	testInItalics = regexp.MustCompile(`\*((?:Test|Fuzz)\w+?)_?…?\*`)
	fileInText    = regexp.MustCompile(`[\w./-]+\.(?:go|py|toml|md)\b`)
)

// missingFiles returns the source files that a line names and that are not
// there. A name without a folder stands in that of the name before, or at the root.
func missingFiles(line string) (missing []string) {
	dir := "."
	for _, name := range fileInText.FindAllString(line, -1) {
		if strings.Contains(name, "/") {
			dir = path.Dir(name)
		}
		_, err := os.Stat(name)
		_, errBeside := os.Stat(path.Join(dir, path.Base(name)))
		if err != nil && errBeside != nil {
			missing = append(missing, name)
		}
	}
	return missing
}

// namesOfTests is the text of all tests.
func namesOfTests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	eachFile(t, isGoTest, func(_ string, text []byte) { all.Write(text) })
	return all.String()
}
