package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// shown is a command that a document or a script shows.
type shown struct{ where, text string }

// shownIn finds the commands in documents and in the headers of scripts: lines of blocks,
// indented lines, and text between backticks. A backslash continues a line.
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
		must.OK(t, err)
	}
	return list
}

// words splits a command as a shell does, as far as documents need it, without comments and redirections.
func words(command string) (list []string) {
	command = regexp.MustCompile(`\\\n(-- )?`).ReplaceAllString(command, " ")
	command = regexp.MustCompile(` (#|>|;).*`).ReplaceAllString(command, "")
	for _, word := range regexp.MustCompile(`(?:"[^"]*"|[^\s"])+`).FindAllString(command, -1) {
		list = append(list, strings.ReplaceAll(word, `"`, ""))
	}
	return list[1:]
}

// Flags, schemes, scripts and options in the commands of documents exist.
func TestDocsCommandsAreThere(t *testing.T) {
	prose := regexp.MustCompile(`\b[A-Z]{4,}\b|\.\.\.|\[|\.$`) // or with a place for something, such as NAME
	tried := 0
	for _, s := range shownIn(t) {
		if prose.MatchString(s.text) {
			continue
		}
		// The plugins of the pages are not loaded here: a scheme of the zoo stands for them.
		text := strings.NewReplacer("robinhood", "linear", " mine", " linear", " tbb", " gomap", " absl", "", " dense", "",
			" thrust:lookup=sort", "", ",thrust:lookup=sort", "", " cudax", "", ",thrust", "", " thrust", " gomap").Replace(s.text)
		err := understood(t, words(text))
		must.Hold(t, err == nil, "%s: %s: %v", s.where, s.text, err)
		tried++
	}
	must.Hold(t, tried >= 50, "only %d commands were found", tried)
}

// understood reports whether the program accepts the command line.
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
		if command.Parent().Name() == "plugin" && len(args) > 0 {
			args = []string{strings.Join(args, ":")} // a folder and the settings of its scheme
		}
		_, err = session.Schemes(configs(args))
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

// configs returns the arguments without the trailing colons that check allows.
func configs(args []string) (list []string) {
	for _, a := range args {
		list = append(list, strings.TrimSuffix(a, ":"))
	}
	return list
}

// runs reports whether the script has the options and axes, and the schemes are valid.
func runs(t *testing.T, env *Env, flag func(string) ([]string, error), name string) error {
	list, err := flag("schemes")
	if err != nil {
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
	if strings.HasSuffix(name, ".lua") {
		return nil // a script of the page, which package docs_test runs
	}
	script, err := session.Script(name, env.Settings.Lua)
	if err != nil {
		return err
	}
	_, err = session.Schemes(list)
	_, wrongOption := script.ParseOptions(set)
	_, wrongAxis := run.Override(script.Axes, axis)
	return errors.Join(err, wrongOption, wrongAxis)
}

// README.md names every scheme.
func TestDocsNameEveryScheme(t *testing.T) {
	page := must.Get(os.ReadFile("../README.md"))(t)
	for _, name := range schemes.Names() {
		must.Hold(t, strings.Contains(string(page), "`"+name+"`"), "README.md does not name %s", name)
	}
}
