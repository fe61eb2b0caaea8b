package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// pipDeb is the locked Debian package that brings pip. It is a tool of the
// build and never part of a root.
const pipDeb = "python3-pip"

// pip is run by an unpacked root's own interpreter, so what it picks fits that
// interpreter, and it reads the host's configuration for the index, proxies
// and certificates.
type pip struct {
	python rootPython
	dir    string // where pipDeb is unpacked
	cache  string // pip's own cache of downloads
	index  string // "" = the configured one
}

func (p pip) command(args ...string) command {
	args = append([]string{"-m", "pip", "--disable-pip-version-check", "--no-input", "--cache-dir", p.cache}, args...)
	if p.index != "" {
		args = append(args, "--index-url", p.index)
	}
	env := append(passEnv("PIP_"), "PIP_PROGRESS_BAR=off", "PIP_REQUIRE_VIRTUALENV=0")
	// An index that only uv was told of serves pip as well.
	for _, name := range []string{"UV_DEFAULT_INDEX", "UV_INDEX_URL"} {
		if url := os.Getenv(name); url != "" && p.index == "" && os.Getenv("PIP_INDEX_URL") == "" {
			env = append(env, "PIP_INDEX_URL="+url)
			break
		}
	}
	return p.python.command(filepath.Join(p.dir, SiteDir), env, args...)
}

var downloading = regexp.MustCompile(`^\s*(?:Downloading|Using cached) (\S+\.whl)`)

// download fetches the wheels of reqs into dir, each checked by pip against
// its hash. It calls each with a wheel's name when its download begins.
func (p pip) download(ctx context.Context, reqs []Requirement, dir string, each func(name string)) error {
	list := filepath.Join(p.dir, "requirements.txt")
	if err := os.WriteFile(list, FormatPythonLock(reqs), 0o644); err != nil {
		return fmt.Errorf("write requirements: %w", err)
	}
	c := p.command("download", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--dest", dir, "--requirement", list)
	c.Line = func(line string) {
		if m := downloading.FindStringSubmatch(line); m != nil {
			each(m[1])
		}
	}
	if err := c.run(ctx); err != nil {
		return p.failed(ctx, "fetch Python packages", err)
	}
	return nil
}

func (p pip) failed(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &cellwall.Error{
		Code: cellwall.CodeInternal, Op: op, Err: err,
		Hint: "check the network, the proxy and pip's configuration, or name another index with --index",
	}
}

// report is the part of pip's installation report that a lock needs.
type report struct {
	Install []struct {
		Metadata struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"metadata"`
		DownloadInfo struct {
			URL         string `json:"url"`
			ArchiveInfo struct {
				Hashes map[string]string `json:"hashes"`
			} `json:"archive_info"`
		} `json:"download_info"`
	} `json:"install"`
}

// resolve finds the newest versions of packages that work together and fit the
// interpreter, with what they need and without drop, each pinned to one wheel.
// Versions in fixed are kept.
func (p pip) resolve(ctx context.Context, packages, drop []string, fixed []Requirement) ([]Requirement, error) {
	var constraints strings.Builder
	for _, r := range fixed {
		fmt.Fprintf(&constraints, "%s==%s\n", r.Name, r.Version)
	}
	file, out := filepath.Join(p.dir, "constraints.txt"), filepath.Join(p.dir, "report.json")
	if err := os.WriteFile(file, []byte(constraints.String()), 0o644); err != nil {
		return nil, fmt.Errorf("write constraints: %w", err)
	}
	args := append([]string{
		"install", "--dry-run", "--ignore-installed", "--quiet", "--only-binary", ":all:",
		"--target", filepath.Join(p.dir, "nowhere"), "--constraint", file, "--report", out,
	}, packages...)
	if err := p.command(args...).run(ctx); err != nil {
		return nil, p.failed(ctx, "resolve Python packages", err)
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("read pip's report: %w", err)
	}
	return parseReport(raw, drop)
}

func parseReport(raw []byte, drop []string) ([]Requirement, error) {
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read pip's report: %w", err)
	}
	var reqs []Requirement
	for _, i := range r.Install {
		q := Requirement{
			Name: normalName(i.Metadata.Name), Version: i.Metadata.Version,
			SHA256: i.DownloadInfo.ArchiveInfo.Hashes["sha256"],
		}
		if slices.Contains(drop, q.Name) {
			continue
		}
		if !isSHA256(q.SHA256) || !strings.HasSuffix(i.DownloadInfo.URL, ".whl") {
			return nil, fmt.Errorf("read pip's report: %s %s is no wheel with a SHA-256", q.Name, q.Version)
		}
		reqs = append(reqs, q)
	}
	return reqs, nil
}

var separators = regexp.MustCompile(`[-_.]+`)

// normalName is a Python package's name as indexes compare it.
func normalName(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}
