package cli

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// go test ./cli -run Docs -update writes docs/schemes.md.
var update = flag.Bool("update", false, "write docs/schemes.md")

func testEnv(t *testing.T) (*Env, *bytes.Buffer) {
	t.Helper()
	env := newEnv()
	var out bytes.Buffer
	env.Out, env.Err = &out, &out
	return env, &out
}

// withSubcommands lists a command and all its subcommands.
func withSubcommands(command *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{command}
	for _, sub := range command.Commands() {
		if command.Name() != "completion" {
			list = append(list, withSubcommands(sub)...)
		}
	}
	return list
}

// docs/schemes.md is the output of a survey on one thread, which is deterministic.
func TestDocsOfSchemes(t *testing.T) {
	const page = "../docs/schemes.md"
	env, out := testEnv(t)
	env.Err = io.Discard // it tells what it compiles
	root := newRoot(env)
	root.SetArgs([]string{"survey", "--device", "cpu", "--threads", "1"})
	must.OK(t, root.Execute())
	if *update {
		must.OK(t, os.WriteFile(page, out.Bytes(), 0o644))
	}
	want := must.Get(os.ReadFile(page))(t)
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("%s differs; make docs writes it anew\n%s", page, diff)
	}
}

// Every command describes itself in one line and refuses unexpected arguments.
func TestEveryCommand(t *testing.T) {
	env, _ := testEnv(t)
	for _, command := range withSubcommands(newRoot(env))[1:] {
		if command.Short == "" || strings.HasSuffix(command.Short, ".") {
			t.Errorf("%s: its line in the help is %q", command.Name(), command.Short)
		}
		if command.RunE == nil && command.Run == nil {
			t.Errorf("%s does nothing", command.Name())
		}
		if err := command.Help(); err != nil {
			t.Error(err)
		}
	}
}

// A comparison tells users to repeat runs by commands that can.
func TestRepeatingCommands(t *testing.T) {
	env, _ := testEnv(t)
	for _, command := range withSubcommands(newRoot(env)) {
		takes := command.Flags().Lookup("processes") != nil
		if takes != slices.Contains(analysis.Repeating, command.Name()) {
			t.Errorf("%s takes --processes: %v; analysis.Repeating has %v", command.Name(), takes, analysis.Repeating)
		}
	}
}

// The terminal interface takes the flags of run, apart from those that have no meaning there.
func TestTUITakesTheFlagsOfRun(t *testing.T) {
	env, _ := testEnv(t)
	tui := newTUICommand(env)
	newRunCommand(env).Flags().VisitAll(func(f *pflag.Flag) {
		if takes := tui.Flags().Lookup(f.Name) != nil; takes == slices.Contains(outsideFlags, f.Name) {
			t.Errorf("tui takes --%s: %v", f.Name, takes)
		}
	})
}

// A run that goes on is told of the first signal, and the second one ends its context.
func TestSecondSignal(t *testing.T) {
	ctx, first := context.WithCancel(t.Context())
	told := make(chan struct{})
	inner, end := patient(ctx, func() { close(told) })
	defer end()
	first()
	if bounded.Wait(t, told); inner.Err() != nil {
		t.Error("the first signal ends it")
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	bounded.Wait(t, inner.Done())
}

// Every compiled kernel of a scheme belongs to a variant that `schemes` shows.
func TestVariantsAreAll(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range schemes.All() {
		for _, v := range variants(s) {
			shown["hz_"+v.Name+"_"+v.Pair] = v.CPU
		}
	}
	for _, name := range kernels.HostNames() {
		if variant, _, ok := strings.Cut(name, "_k4v4_"); ok && !shown[variant+"_k4v4"] {
			t.Errorf("kernel %s is of no variant that is shown", name)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 80 << 30: "80.0 GiB", 1 << 50: "1024.0 TiB"} {
		if got := size(bytes); got != want {
			t.Errorf("%d is %s instead of %s", bytes, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := wrap("one two  three four", 9); got != "one two\nthree\nfour" {
		t.Errorf("%q", got)
	}
}
