package cli

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Shell completion; all candidates come from the registries.

// repairBash corrects cobra's script for bash. Bash breaks words at colons and equal signs, so only the
// text after the last of both is inserted; the script cuts at each separately. It also escapes commas, which the user
// does not; no candidate needs escapes.
func repairBash(root *cobra.Command) {
	const cut = `    __hashzoo_handle_special_char "$cur" `
	repair := strings.NewReplacer("%q", "%s", cut+":\n", cut+`"[${COMP_WORDBREAKS//[!:=]/}]"`+"\n", cut+"=\n", "")
	bash, _, _ := root.Find([]string{"completion", "bash"})
	bash.RunE = func(*cobra.Command, []string) error {
		var script bytes.Buffer
		plain, err := bash.Flags().GetBool("no-descriptions")
		err = cmp.Or(err, root.GenBashCompletionV2(&script, !plain))
		_, failed := repair.WriteString(root.OutOrStdout(), script.String())
		return cmp.Or(err, failed)
	}
}

// completion completes the arguments in a usage line: scripts or schemes first, or nothing.
func (env *Env) completion(use string) cobra.CompletionFunc {
	switch _, arguments, _ := strings.Cut(use, " "); {
	case strings.HasPrefix(arguments, "[SCHEME"): // any number of them
		return env.completeSchemes
	case strings.HasPrefix(arguments, "SCHEME"):
		return firstOnly(env.completeSchemes)
	case strings.HasPrefix(strings.TrimPrefix(arguments, "["), "SCRIPT"):
		return firstOnly(completeScripts)
	}
	return nil
}

// firstOnly completes the first argument of a command.
func firstOnly(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(command, args, word)
	}
}

func completeScripts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	describe := func(s scripts.Script) cobra.Completion { return cobra.CompletionWithDesc(s.Name, s.Title) }
	return lists.Map(scripts.All(), describe), cobra.ShellCompDirectiveDefault
}

func completeNames(before string) []cobra.Completion {
	return lists.Map(slices.Concat(schemes.All(), schemes.References()), func(s *schemes.Scheme) cobra.Completion {
		return cobra.CompletionWithDesc(before+s.Name, s.Title)
	})
}

// loadSilently loads plugins and drops errors: a completion must not print messages.
func (env *Env) loadSilently() {
	if env.load() == nil {
		plugin.LoadAll(env.Settings.Plugins)
	}
}

// completeSchemes completes names of schemes, then parameters not yet given, then their values.
func (env *Env) completeSchemes(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	env.loadSilently()
	list, err := session.SplitSchemes(word)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	last := list[len(list)-1]
	if strings.Contains(last, ":") {
		return completeParams(word, last), noSpace
	}
	names := completeNames(strings.TrimSuffix(word, last))
	if len(list) > 1 && strings.Contains(list[len(list)-2], ":") { // or a further parameter
		return append(names, completeParams(word, list[len(list)-2]+","+last)...), noSpace
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

const noSpace = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace

// begunValue matches a setting with the last of its values, which is being typed.
var begunValue = regexp.MustCompile(`([^:,={}]+)=(?:\{(?:[^{},]*,)*)?([^{},]*)$`)

// completeParams completes a word that ends with a scheme and its parameters.
func completeParams(word, text string) (list []cobra.Completion) {
	name, settings, _ := strings.Cut(text, ":")
	scheme, err := schemes.Find(name)
	if err != nil || strings.HasSuffix(word, "}") {
		return nil
	}
	value, before := begunValue.FindStringSubmatch(settings), word[:strings.LastIndexAny(word, ":,")+1]
	for _, p := range scheme.Params {
		switch {
		case value != nil && value[1] == p.Name && (p.Words != nil || p.Values != nil):
			ended := func(v string) cobra.Completion { return strings.TrimSuffix(word, value[2]) + v }
			list = append(list, lists.Map(strings.Split(p.Allowed(), ", "), ended)...)
		case value == nil && !strings.Contains(","+settings, ","+p.Name+"="):
			list = append(list, cobra.CompletionWithDesc(before+p.Name+"=", p.Help))
		}
	}
	return list
}

func (env *Env) completeFiles(_ *cobra.Command, args []string, begun string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, o := range env.scriptGiven(args).Options {
		if o.File && begun == "" {
			list = append(list, cobra.CompletionWithDesc(o.Name+"=", o.Help))
		}
	}
	if list == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return list, noSpace
}

// ofScript completes the names of what the script that the command line names has.
func ofScript[T any](env *Env, list func(*lua.Script) []T, help func(T) (name, about string)) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return lists.Map(list(env.scriptGiven(args)), func(of T) cobra.Completion {
			name, about := help(of)
			return cobra.CompletionWithDesc(name+"=", about)
		}), noSpace
	}
}

// scriptGiven reads the script that the command line names, and is empty if that fails.
func (env *Env) scriptGiven(args []string) *lua.Script {
	if len(args) > 0 && env.load() == nil {
		if script, err := session.Script(args[0], env.Settings.Lua); err == nil {
			return script
		}
	}
	return new(lua.Script)
}
