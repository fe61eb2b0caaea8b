package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/cellwall/cellwall/environment"
)

// program is the command line around its streams.
type program struct {
	stdin    io.Reader
	stdout   *screen
	stderr   *screen
	backends map[string]makeBackend
	catalog  environment.Catalog // of the environments that a person can be told of

	interrupts interrupts
}

func newProgram() *program {
	return &program{
		stdin: os.Stdin, stdout: newScreen(os.Stdout), stderr: newScreen(os.Stderr),
		backends: backends(),
	}
}

// grammar is every verb, and the one config struct of the program.
type grammar struct {
	config

	Run        runVerb        `cmd:"" help:"Run a Python program in a fresh sandbox."`
	Shell      shellVerb      `cmd:"" help:"Write cells in a session that survives them."`
	Replay     replayVerb     `cmd:"" help:"Run a saved session again and compare."`
	Inspect    inspectVerb    `cmd:"" help:"Describe a data file as a program would see it."`
	Ask        askVerb        `cmd:"" help:"Have a model answer a question about data, with tools in sandboxes."`
	MCP        mcpVerb        `cmd:"" name:"mcp" help:"Speak the Model Context Protocol with a client that starts it."`
	Fetch      fetchVerb      `cmd:"" help:"Have the service fetch a data file from the web."`
	Snapshot   snapshotVerb   `cmd:"" help:"Have the service read a database or a bucket into a dataset."`
	Serve      serveVerb      `cmd:"" help:"Be a service: many tenants, one contract over HTTP."`
	Lockdown   lockdownVerb   `cmd:"" help:"Stop all work of this state directory now, and gather the evidence."`
	Unlock     unlockVerb     `cmd:"" help:"Let work begin again."`
	Audit      auditVerb      `cmd:"" help:"Verify, export and sign the records of what was executed."`
	Env        envVerb        `cmd:"" help:"Build and look at environments."`
	Doctor     doctorVerb     `cmd:"" help:"Say what this host can enforce, and what to do about the rest."`
	Pentest    pentestVerb    `cmd:"" help:"Let the hostile corpus loose on this host's sandboxes, and score what held."`
	Bench      benchVerb      `cmd:"" help:"Measure start, run, throughput and memory against the limit."`
	Ratings    ratingsVerb    `cmd:"" help:"Print what people think of executions: export, summary."`
	Keys       keysVerb       `cmd:"" help:"Make, list and revoke keys of the service's tenants."`
	Version    versionVerb    `cmd:"" help:"Print the version."`
	Completion completionVerb `cmd:"" help:"Print a completion script for a shell."`
}

// exactString takes a text as it was typed. The parser's own way leads through
// JSON, where a byte that is no UTF-8, as file names may have, becomes another.
func exactString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text, ok := token.Value.(string)
	if !ok {
		return fmt.Errorf("%v is not text", token.Value)
	}
	target.SetString(text)
	return nil
}

// duration takes a time with its unit, and says how one is written.
func duration(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("duration")
	if err != nil {
		return err
	}
	d, err := parseDuration(fmt.Sprint(token.Value))
	if err != nil {
		return err
	}
	target.SetInt(int64(d))
	return nil
}

const description = "Cellwall runs code that a model wrote in a fresh, walled sandbox, in milliseconds."

// parser returns the parser of the command line.
func (p *program) parser(g *grammar) (*kong.Kong, error) {
	return kong.New(g,
		kong.Name("cellwall"), kong.Description(description),
		kong.DefaultEnvars("CELLWALL"),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { os.Exit(p.fail(context.Background(), nil)) }), // after help
		kong.KindMapper(reflect.String, kong.MapperFunc(exactString)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(duration)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Vars{"default_backend": defaultBackend, "default_env": defaultEnvironment},
	)
}

// main parses args, runs the verb and returns the exit status.
func (p *program) main(args []string) int {
	ctx, stop := withSignals(context.Background(), &p.interrupts, func() {
		p.stderr.printf("cellwall: interrupted, and not through within %s\n", p.interrupts.wait())
	})
	defer stop()

	var g grammar
	parser, err := p.parser(&g)
	if err != nil {
		return p.fail(ctx, err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(asVerbs(args))
	if err != nil {
		return p.fail(ctx, usageError(parsed, err))
	}
	if err := g.config.validate(); err != nil {
		return p.fail(ctx, err)
	}
	p.catalog = openStore(&g.config).Catalog
	parsed.BindTo(ctx, (*context.Context)(nil))
	return p.fail(ctx, parsed.Run(p, &g.config, parser))
}

// asVerbs takes the two words that people try first: --version, which is no flag of
// every verb, and help, which is no verb.
func asVerbs(args []string) []string {
	switch args[0] {
	case "--version":
		return append([]string{"version"}, args[1:]...)
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// interruptPatience is how long a verb may take to put its things away after an
// interrupt: long enough for a half-built environment.
const interruptPatience = 5 * time.Second

// withSignals returns a context that ends at the first interrupt that nobody
// takes. Later interrupts are swallowed while the verb puts its things away; one
// that cannot, because a reader of its output stands still, is ended all the same,
// and every sandbox with it; late may say so first. A closed pipe is an error of
// the write, not the death of the process, which would leave a sandbox behind.
func withSignals(parent context.Context, i *interrupts, late func()) (context.Context, func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	asked := make(chan os.Signal, 4)
	signal.Notify(asked, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(parent)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-asked:
				if s == syscall.SIGINT && i.taken() || s == syscall.SIGHUP && i.hungUp() {
					continue
				}
				cancel()
			case <-ended:
				return
			}
		}
	}()
	context.AfterFunc(ctx, func() {
		select {
		case <-ended:
		case <-time.After(i.wait()):
			said := make(chan struct{})
			go func() { late(); close(said) }()
			select { // who reads it may stand still
			case <-said:
			case <-time.After(100 * time.Millisecond):
			}
			os.Exit(exitInterrupted)
		}
	})
	return ctx, func() {
		close(ended)
		cancel()
		signal.Stop(asked)
		signal.Stop(broken)
	}
}

// status is an exit status that needs no words any more.
type status int

func (s status) Error() string { return "exit status" }

// fail prints err for a person and returns its exit status.
func (p *program) fail(ctx context.Context, err error) int {
	if lost := p.stdout.lost("standard output"); lost != nil && ctx.Err() == nil {
		err = lost // whatever else came of it
	}
	var s status
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	case ctx.Err() != nil:
		p.stderr.printf("cellwall: interrupted\n")
		return exitInterrupted
	}
	p.explain(err)
	return exitOf(err)
}
