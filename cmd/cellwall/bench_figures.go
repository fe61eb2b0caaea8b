package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// figures are what was measured, by the keys of the public surface.
type figures struct {
	machine string
	backend string
	values  map[string]float64
	rows    []row
	missing map[string]string // what could not be measured, and why
}

// row is one line of the table: a way to run, beside the limit.
type row struct {
	name           string
	limit, product []time.Duration
}

func newFigures(backend string) figures {
	return figures{machine: machine(), backend: backend, values: map[string]float64{}, missing: map[string]string{}}
}

// machine says where the figures are from.
func machine() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	model := "unknown processor"
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(cpuinfo)) {
		if name, ok := strings.CutPrefix(line, "model name\t: "); ok {
			model = strings.TrimSpace(name)
			break
		}
	}
	return fmt.Sprintf("%d × %s, Linux %s, %s", runtime.NumCPU(), model, strings.TrimSpace(string(kernel)), runtime.GOARCH)
}

// set keeps a figure. What has nothing to compare with is none.
func (f *figures) set(key string, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		f.values[key] = value
	}
}

// unmeasured says why a row is not there, in the first lines of what went wrong.
func (f *figures) unmeasured(name string, err error) {
	f.missing[name] = firstLines(strings.TrimSpace(err.Error()), 2)
}

// latencyKeys are the names that differ from "<row>_ratio".
var latencyKeys = map[string]string{"groupby": "pooled_ratio", "trivial": "", "http_trivial": ""}

// latency keeps one way to run and its ratio to the limit.
func (f *figures) latency(name string, limit, product []time.Duration) {
	f.rows = append(f.rows, row{name, limit, product})
	key, renamed := latencyKeys[name]
	if !renamed {
		key = name + "_ratio"
	}
	if key != "" {
		f.set(key, ratio(median(product), median(limit)))
	}
	switch name {
	case "groupby":
		f.set("limit_ms", ms(median(limit)))
	case "trivial":
		f.set("trivial_ms", ms(median(product)))
		f.set("trivial_p99_ms", ms(quantile(product, 0.99)))
	case "http":
		f.set("http_ms", ms(median(product)))
	case "http_trivial":
		f.set("http_trivial_ms", ms(median(product)))
	case "cell_jupyter": // the same cell in a session, measured in turns with it
		f.set("jupyter_ratio", f.values["cell_ratio"]/f.values["cell_jupyter_ratio"])
	case "docker":
		f.set("container_speedup", f.values["docker_ratio"]/f.values["pooled_ratio"])
	}
}

func (f *figures) burst(took []time.Duration) { f.set("burst_100_ms", ms(median(took))) }

func (f *figures) load(n int, limit []time.Duration, limitTime time.Duration, product []time.Duration, productTime time.Duration) {
	f.rows = append(f.rows, row{fmt.Sprintf("%d at once", n), limit, product})
	perSecond := func(runs []time.Duration, in time.Duration) float64 { return float64(len(runs)) / in.Seconds() }
	f.set(fmt.Sprintf("throughput_%d_per_s", n), perSecond(product, productTime))
	f.set(fmt.Sprintf("throughput_ratio_%d", n), perSecond(product, productTime)/perSecond(limit, limitTime))
	if n == 64 {
		f.set("p99_ratio_64", ratio(quantile(product, 0.99), quantile(limit, 0.99)))
	}
}

func (f *figures) zygote(product, plain []time.Duration) {
	f.set("zygote_ready_ms", ms(median(product)))
	f.set("zygote_ready_ratio", ratio(median(product), median(plain)))
}

// document is what --json prints.
func (f *figures) document() map[string]any {
	doc := map[string]any{"machine": f.machine, "backend": f.backend}
	for key, value := range f.values {
		doc[key] = rounded3(value)
	}
	if len(f.missing) > 0 {
		doc["not_measured"] = f.missing
	}
	return doc
}

// print writes the table for a person.
func (f *figures) print(out *screen) {
	out.printf("%s, backend %s\n\n", f.machine, f.backend)
	tw := tabwriter.NewWriter(out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\tlimit median\tp90\tp99\tmedian\tp90\tp99 ms\t")
	for _, r := range f.rows {
		fmt.Fprintf(tw, "%s\t", r.name)
		for _, samples := range [][]time.Duration{r.limit, r.product} {
			for _, q := range []float64{0.5, 0.9, 0.99} {
				fmt.Fprintf(tw, "%.2f\t", ms(quantile(samples, q)))
			}
		}
		fmt.Fprintln(tw)
	}
	tw.Flush() // a screen that is gone does not hear the rest either
	out.printf("\n")
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		out.printf("  %-22s %g\n", key, rounded3(f.values[key]))
	}
	for _, name := range slices.Sorted(maps.Keys(f.missing)) {
		out.say(plain, "  "+name+" was not measured: ", f.missing[name])
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func rounded3(x float64) float64 { return float64(int64(x*1000+0.5)) / 1000 }
