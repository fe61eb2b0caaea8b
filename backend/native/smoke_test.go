package native

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/environment"
)

func TestSmoke(t *testing.T) {
	raw, _ := os.ReadFile("/tmp/brief/root-data-basic")
	root := strings.TrimSpace(strings.Split(string(raw), "\n")[0])
	b, err := New(Options{StateDir: t.TempDir(), Self: []string{"/proc/self/exe", "native-warden"}, Probe: []string{"/proc/self/exe", "probe-child"}, Logger: slog.Default(), Compile: environment.CompileDir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	env := cellwall.Environment{Name: "python-data-basic", Digest: "x", Root: root, Interpreter: "/usr/bin/python3.13", WarmUp: []string{"pandas", "numpy", "matplotlib.pyplot"}}
	t0 := time.Now()
	for i := 0; i < 5; i++ {
		t1 := time.Now()
		s, err := b.Open(context.Background(), cellwall.Spec{Environment: env, Limits: cellwall.DefaultLimits()})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("opened", time.Since(t1), time.Since(t0))
		time.Sleep(300 * time.Millisecond)
		t1 = time.Now()
		end, err := s.Run(context.Background(), cellwall.Code{Execution: cellwall.NewID("exec"), Source: os.Getenv("CODE"), Timeout: 5 * time.Second}, func(_ context.Context, e cellwall.Event) error {
			if i == 0 {
				fmt.Printf("%s %s %+v\n", e.Kind, e.Data, e.Rich)
			}
			return nil
		})
		fmt.Println(time.Since(t1), end, err)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
