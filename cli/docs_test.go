package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/schemes"
)

// shown is a command that a document or a script shows.
type shown struct{ where, text string }

// shownIn finds the commands in the documents and in the heads of scripts: lines of
// blocks, indented lines, and what stands in a sentence between backticks. A line that
// ends with a backslash goes on in the next one.
func shownIn(t *testing.T) (list []shown) {
	t.Helper()
	line := regexp.MustCompile("(?m)^(?:-- |\\$ )? *(?:bin/)?(hashzoo (?:.*\\\\\n)*.*)$")
	sentence := regexp.MustCompile("`(hashzoo [^`]*)`")
	for _, folder := range []string{"../docs", "../scripts", ".."} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if path == folder || folder == "../scripts" {
					return nil
				}
				return fs.SkipDir
			}
			if extension := filepath.Ext(path); extension != ".md" && extension != ".lua" {
				return nil
			}
			text, err := os.ReadFile(path)
			for _, found := range append(line.FindAllStringSubmatch(string(text), -1), sentence.FindAllStringSubmatch(string(text), -1)...) {
				list = append(list, shown{path, found[1]})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// words splits a command as a shell does, as far as documents need it; what comes
// after a comment or goes to a file is left out.
func words(command string) (list []string) {
	command = regexp.MustCompile(`\\\n(-- )?`).ReplaceAllString(command, " ")
	command = regexp.MustCompile(` (#|>|;).*`).ReplaceAllString(command, "")
	for _, word := range regexp.MustCompile(`(?:"[^"]*"|[^\s"])+`).FindAllString(command, -1) {
		list = append(list, strings.ReplaceAll(word, `"`, ""))
	}
	return list[1:]
}

// Every command that a document shows has the flags, schemes, scripts and options that
// it names.
func TestDocsCommandsAreThere(t *testing.T) {
	prose := regexp.MustCompile(`\b[A-Z]{4,}\b|\.\.\.|\[|\.$`) // or with a place for something, such as NAME
	tried := 0
	for _, s := range shownIn(t) {
		if prose.MatchString(s.text) {
			continue
		}
		// The plugin of plugins.md is not loaded here: a scheme of the zoo stands for it.
		if err := understood(t, words(strings.ReplaceAll(s.text, "robinhood", "linear"))); err != nil {
			t.Errorf("%s: %s: %v", s.where, s.text, err)
		}
		tried++
	}
	if tried < 50 {
		t.Errorf("only %d commands were found", tried)
	}
}

// understood is whether the program would begin to do it.
func understood(t *testing.T, args []string) error {
	env, _ := testEnv(t)
	command, rest, err := newRoot(env).Find(args)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	args = command.Flags().Args()
	if command.Args != nil {
		if err := command.ValidateArgs(args); err != nil && len(args) > 0 {
			return err
		}
	}
	switch command.Name() {
	case "bench", "check":
		_, err = schemeList(configs(args))
	case "schemes", "survey":
		for _, name := range args {
			if _, err := schemes.Find(name); err != nil {
				return err
			}
		}
	case "run":
		if len(args) == 0 {
			return nil // a sentence about the command
		}
		return runs(t, env, command.Flags().GetStringArray, args[0])
	}
	return err
}

// configs are the arguments without what check may have at their ends.
func configs(args []string) (list []string) {
	for _, a := range args {
		list = append(list, strings.TrimSuffix(a, ":"))
	}
	return list
}

// runs is whether a script has the options and axes, and schemes are what they should be.
func runs(t *testing.T, env *Env, flag func(string) ([]string, error), name string) error {
	list, err := flag("schemes")
	if err != nil {
		return err
	}
	if _, err := schemeList(list); err != nil {
		return err
	}
	set, err := flag("set")
	if err != nil {
		return err
	}
	axis, err := flag("axis")
	if err != nil {
		return err
	}
	if own := regexp.MustCompile(`^(my|group|graph)\.lua$`).FindString(name); own != "" {
		name = ownScript(t, own)
	}
	_, err = newScriptRun(context.Background(), name, env.Settings.Lua, set, axis)
	return err
}

// ownScript writes a script that a reader is to write: the first two of choosing.md, or
// the one to start from.
func ownScript(t *testing.T, name string) string {
	t.Helper()
	if name == "my.lua" {
		return "quickstart"
	}
	page, err := os.ReadFile("../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	scripts := regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	path := filepath.Join(t.TempDir(), name)
	source := scripts[map[string]int{"group.lua": 0, "graph.lua": 1}[name]][1]
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The scripts of choosing.md run, on the schemes that it names for them.
func TestDocsScriptsOfChoosing(t *testing.T) {
	for _, args := range [][]string{
		{ownScript(t, "group.lua"), "--set", "rows=20k", "--set", "largest=100", "--axis", "groups=1k", "--schemes", "linear,double,stash,slab,chained,dycuckoo"},
		{ownScript(t, "graph.lua"), "--set", "edges=10k", "--set", "vertices=1k", "--set", "degree=100", "--schemes", "slab:spare=100,slab:alloc=super,super_blocks=8"},
	} {
		env, out := testEnv(t)
		root := newRoot(env)
		root.SetArgs(append([]string{"run", "--quiet", "--verify"}, args...))
		if err := root.Execute(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// README.md names every scheme.
func TestDocsNameEveryScheme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range schemes.Names() {
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("README.md says nothing of %s", name)
		}
	}
}
