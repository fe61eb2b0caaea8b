package native

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What the kernel tells of a process's memory in its files below /proc.

// faults returns how many pages a process has touched anew so far.
func faults(pid int) (int64, error) {
	text, err := statOf(pid)
	if err != nil {
		return 0, err
	}
	return parseFaults(text)
}

// statOf reads the kernel's line on a process.
func statOf(pid int) (string, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return string(text), err
}

// behindName are the fields of such a line from the third on. The second is the
// process's own name for itself, between parentheses that it may have as well.
func behindName(stat string) []string {
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
}

// parseFaults reads the tenth field.
func parseFaults(stat string) (int64, error) {
	fields := behindName(stat)
	const minflt = 10 - 3
	if len(fields) <= minflt {
		return 0, errors.New("read faults: the kernel does not tell")
	}
	return strconv.ParseInt(fields[minflt], 10, 64)
}

// unshared returns how many bytes a process shares with no other.
func unshared(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0, err
	}
	return kilobytes(string(text), "Private_Clean", "Private_Dirty")
}

// anonymous returns how many bytes of a process are backed by no file.
func anonymous(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	return kilobytes(string(text), "RssAnon")
}

// kilobytes adds up lines such as "RssAnon:   12 kB", in bytes.
func kilobytes(text string, keys ...string) (sum int64, err error) {
	for _, key := range keys {
		_, rest, found := strings.Cut("\n"+text, "\n"+key+":")
		line, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64)
		if !found || err != nil {
			return 0, fmt.Errorf("read %s: the kernel does not tell", key)
		}
		sum += n << 10
	}
	return sum, nil
}
