package observe

import (
	"strings"
	"testing"
)

// TestN49_AnAddressIsNoFile has libraries say in their own words that they do
// not fetch what they were told to open; the hint must still be that the network
// is off. Messages are as the libraries of the environments wrote them.
func TestN49_AnAddressIsNoFile(t *testing.T) {
	const address = "http://data.example.com/table.csv"
	for name, c := range map[string]struct {
		in   Input
		want class
		hint string
	}{
		"urllib":      {raised("urllib.error.URLError", "<urlopen error [Errno -2] Name or service not known>", "", "pd.read_csv(u)"), classNetwork, "network is off"},
		"open":        {raised("FileNotFoundError", "[Errno 2] No such file or directory: '"+address+"'", address, "open(u)"), classNetwork, "network is off"},
		"numpy":       {raised("FileNotFoundError", address+" not found.", "", "np.loadtxt(u)"), classNetwork, "network is off"},
		"matplotlib":  {raised("ValueError", "Please open the URL for reading and pass the result to Pillow, e.g. with ``x``.", "", "plt.imread(u)"), classNetwork, "network is off"},
		"pyarrow":     {raised("pyarrow.lib.ArrowInvalid", "Unrecognized filesystem type in URI: "+address, "", "FileSystem.from_uri(u)"), classNetwork, "network is off"},
		"arrow csv":   {raised("FileNotFoundError", "[Errno 2] Failed to open local file '"+address+"'. Detail: [errno 2] No such file or directory", address, "csv.read_csv(u)"), classNetwork, "network is off"},
		"a file":      {raised("FileNotFoundError", "[Errno 2] No such file or directory: 'table.csv'", "table.csv", "open(u)"), classFile, "no such file"},
		"a value":     {raised("ValueError", "see https://pandas.pydata.org/docs for the cure", "", "df.f()"), classOther, ""},
		"no backend":  {raised("ImportError", "`Import lxml` failed.  Use pip, conda, or your preferred package management tool to install the lxml package.", "", "pd.read_html(u)"), classModule, `"lxml" is not installed`},
		"old backend": {raised("ImportError", "Missing optional dependency 'lxml'.  Use pip or conda to install lxml.", "", "pd.read_html(u)"), classModule, `"lxml" is not installed`},
	} {
		if got := newObserver(c.in).fault().class; got != c.want {
			t.Errorf("%s: class %s, want %s", name, got, c.want)
		}
		if hint := Observe(c.in).RetryHint; !strings.Contains(strings.ToLower(hint), c.hint) {
			t.Errorf("%s: the hint is %q and lacks %q", name, hint, c.hint)
		}
	}
}
