package observe

import (
	"slices"
	"strings"
)

// callers are how code starts other programs.
var callers = []string{"subprocess", "Popen(", "run([", "check_output(", "check_call(", "os.exec", "os.spawn", "os.posix_spawn"}

// installers are the programs that would install a package.
var installers = []string{"pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get", "brew"}

// absentClass tells a program that is not there, and a file that cannot be
// made because its folder is not there, from a file to read.
func absentClass(f fault) class {
	program := f.name != "" && !strings.ContainsAny(f.name, "/.")
	switch {
	case f.name == "/bin/sh":
		return classShell
	case program && slices.ContainsFunc(callers, func(c string) bool { return strings.Contains(f.line, c) }):
		if slices.Contains(installers, f.name) {
			return classInstall
		}
		return classShell
	case strings.Contains(f.name, "/") && writes(f.line, f.name):
		return classFolder
	}
	return ""
}

// writers are the calls that make the file they are given; modes are those of
// open that do.
var (
	writers = []string{
		"savefig(", ".to_csv(", ".to_excel(", ".to_json(", ".to_parquet(", ".to_pickle(", ".to_html(", ".to_markdown(", ".to_feather(",
		"ExcelWriter(", "dump(", ".save(", ".savez", "savetxt(", ".tofile(", "mkdir(", "makedirs(", "write_text(", "write_bytes(", "touch(",
		"FileHandler(", "basicConfig(", "open_memmap(",
	}
	modes = []string{"w", "a", "x", "wb", "ab", "xb", "wt", "at", "xt", "w+", "a+", "x+", "wb+", "ab+", "xb+", "w+b", "a+b", "x+b"}
)

// writes reports whether a line makes the file name: a writer stands before
// it, or a mode behind it.
func writes(line, name string) bool {
	before, after, quoted := strings.Cut(line, name)
	if !quoted {
		after = line
	}
	return slices.ContainsFunc(writers, func(w string) bool { return strings.Contains(before, w) }) ||
		slices.ContainsFunc(modes, func(m string) bool {
			return strings.Contains(after, `"`+m+`"`) || strings.Contains(after, "'"+m+"'")
		})
}

// place is the path that a failure is about: the exception's, else the first
// absolute one that the failing line quotes. It is "" when there is none, and
// when it is one of the directories that the hint is about to offer.
func place(f fault) string {
	path := f.name
	if !strings.Contains(path, "/") {
		path = quotedPath(f.line)
	}
	if slices.Contains([]string{"/workspace/output", "/tmp", "/dev/shm"}, strings.TrimSuffix(path, "/")) {
		return ""
	}
	return cutEnd(path, maxName)
}

// quotedPath is the first absolute path in quotes of a line.
func quotedPath(line string) string {
	for _, quote := range []string{`"`, "'"} {
		if _, rest, ok := strings.Cut(line, quote+"/"); ok {
			path, _, _ := strings.Cut(rest, quote)
			return "/" + path
		}
	}
	return ""
}
