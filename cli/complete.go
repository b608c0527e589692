package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
)

// Shell completion; all candidates come from the registries.

func completeDevices(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return devices.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeScripts completes the script that a command takes: a name, or a file.
func completeScripts(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, s := range scripts.All() {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.Title))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeSchemeNames completes the single scheme name that a command takes.
func (env *Env) completeSchemeNames(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if len(args) == 0 {
		env.loadSilently()
		for _, s := range schemes.All() {
			names = append(names, cobra.CompletionWithDesc(s.Name, s.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// loadSilently loads plugins and drops errors: a completion must not print messages.
func (env *Env) loadSilently() {
	if env.load() == nil {
		plugin.LoadAll(env.Settings.Plugins)
	}
}

// completeSchemes completes a scheme with its parameters: its name, then the
// parameters not yet given, then their values.
func (env *Env) completeSchemes(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, settings, hasSettings := strings.Cut(word, ":")
	if !hasSettings {
		return env.completeSchemeNames(nil, nil, word)
	}
	env.loadSilently()
	scheme, err := schemes.Find(name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(scheme, name+":", settings), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeParams(scheme *schemes.Scheme, before, settings string) []cobra.Completion {
	if comma := strings.LastIndex(settings, ","); comma >= 0 {
		before, settings = before+settings[:comma+1], settings[comma+1:]
	}
	var list []cobra.Completion
	for _, p := range scheme.Params {
		switch values := p.Allowed(); {
		case strings.Contains(before, p.Name+"="):
		case !strings.HasPrefix(settings, p.Name+"="):
			list = append(list, cobra.CompletionWithDesc(before+p.Name+"=", p.Help))
		case p.Words != nil || p.Values != nil:
			for value := range strings.SplitSeq(values, ", ") {
				list = append(list, before+p.Name+"="+value)
			}
		}
	}
	return list
}
