package main

import (
	"runtime"
	"runtime/debug"

	"github.com/cellwall/cellwall/guest"
)

// versionVerb is "cellwall version".
type versionVerb struct {
	JSON bool `name:"json" help:"Print one document."`
}

// build is what version prints.
type build struct {
	Version  string `json:"version"` // of the module, or "devel"
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol int    `json:"protocol"` // of the guest
}

func thisBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Protocol: guest.Protocol}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Run prints what this binary was built from.
func (v *versionVerb) Run(p *program) error {
	b := thisBuild()
	if v.JSON {
		return p.printJSON(b)
	}
	p.stdout.printf("cellwall %s (%s, %s)\n", b.Version, b.Go, b.Platform)
	return nil
}
