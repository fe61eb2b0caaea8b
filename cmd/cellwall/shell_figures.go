package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/cmd/cellwall/figure"
)

// gallery shows what a session draws, and copies what it leaves.
type gallery struct {
	p        *program
	house    *house
	out      string // directory; "" = a new one below the temporary directory, for figures only
	protocol figure.Protocol
	drawn    int
	temp     string
}

// show shows a figure in the terminal, or saves it and says where. One that is
// no small PNG is saved, and nothing looks at it.
func (f *gallery) show(ctx context.Context, ending string, content []byte) error {
	f.drawn++
	if drawing := f.drawing(ctx, ending, content); drawing != "" {
		_, err := fmt.Fprintf(f.p.stdout, "%s\n", drawing)
		if f.out == "" || err != nil {
			return err
		}
	}
	dir, err := f.dir()
	if err != nil {
		return err
	}
	path, err := saveFigure(ctx, f.house, dir, fmt.Sprintf("figure_%d.%s", f.drawn, ending), content)
	if err != nil {
		return err
	}
	f.p.stderr.say(faint, "figure: ", path)
	return nil
}

// drawing is the figure as the terminal takes it; "" when it does not.
func (f *gallery) drawing(ctx context.Context, ending string, content []byte) string {
	if f.protocol == figure.None || ending != "png" {
		return ""
	}
	png, err := figure.Check(content)
	if err != nil {
		f.p.stderr.say(faint, "figure: ", "not shown here: "+err.Error())
		return ""
	}
	width, _, err := term.GetSize(int(f.p.stdout.file.Fd()))
	if err != nil || width < 20 {
		width = 80 // what a terminal is when it does not say
	}
	columns := figure.Columns(png.Width, width)
	switch f.protocol {
	case figure.Kitty:
		return figure.InKitty(png, columns)
	case figure.ITerm:
		return figure.InITerm(png, columns)
	}
	drawing, err := f.sixel(ctx, png)
	if err != nil {
		f.p.stderr.say(faint, "figure: ", "not shown here: "+err.Error())
	}
	return drawing
}

// sixel has a fresh sandbox decode the figure.
func (f *gallery) sixel(ctx context.Context, png figure.PNG) (string, error) {
	name, content := figure.SixelInput(png)
	file, err := os.CreateTemp("", "cellwall-*.csv")
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return "", err
	}
	if _, err := file.Write(content); err != nil {
		return "", err
	}
	result, err := f.house.controller.Run(ctx, cellwall.Request{
		Code: figure.SixelProgram, Purpose: "draw a figure for a terminal", Environment: defaultEnvironment,
		Datasets: []cellwall.Input{{Name: name, FD: int(file.Fd()), Size: int64(len(content))}},
		Limits:   cellwall.Limits{OutputKeepBytes: figure.MaxSixel, OutputBytes: 2 * figure.MaxSixel},
	})
	switch {
	case err != nil:
		return "", err
	case !result.OK:
		return "", fmt.Errorf("drawing it ended with %s (%s)", result.Status, result.Cause)
	}
	return figure.InSixel(result.Stdout.Text)
}

// dir is where figures go.
func (f *gallery) dir() (string, error) {
	if f.out != "" {
		return f.out, nil
	}
	if f.temp == "" {
		temp, err := os.MkdirTemp("", "cellwall-figures-")
		if err != nil {
			return "", fmt.Errorf("save figure: %w", err)
		}
		f.temp = temp
	}
	return f.temp, nil
}

// figures saves to --out what a cell drew that nobody was shown.
func (f *gallery) figures(ctx context.Context, r *cellwall.Result, quiet bool) error {
	if f.out == "" {
		return nil
	}
	paths, last, err := saveFigures(ctx, f.house, f.out, r, f.drawn)
	f.drawn = last
	for _, path := range paths {
		if !quiet {
			f.p.stderr.say(faint, "figure: ", path)
		}
	}
	return err
}

// artifacts copies what a cell left to --out, or names it.
func (f *gallery) artifacts(ctx context.Context, r *cellwall.Result, quiet bool) error {
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if f.out != "" {
			path, err := f.house.artifacts.CopyTo(ctx, f.out, *a)
			if err != nil {
				return err
			}
			a.SavedTo = path
		}
		if !quiet {
			f.p.sayArtifact(faint, *a)
		}
	}
	return nil
}
