package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/schemes"
)

//go:embed help.txt
var helpTexts string

// addHelp gives commands the texts and examples of help.txt.
func addHelp(root *cobra.Command) {
	names := exampleNames()
	for _, section := range strings.Split(helpTexts, "\n# ")[1:] {
		name, text, _ := strings.Cut(section, "\n\n")
		command, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 {
			panic("help.txt: there is no command " + name)
		}
		long, examples, _ := strings.Cut(text, "\n\n  ")
		command.Long = strings.TrimSpace(long)
		if examples != "" {
			command.Example = "  " + names.Replace(strings.TrimSpace(examples))
		}
	}
}

// exampleNames puts schemes of the zoo into examples.
func exampleNames() *strings.Replacer {
	names := schemes.Names()
	last := names[len(names)-1]
	scheme, err := schemes.Find(last) // the only manifest that is read at every start
	if err != nil {
		panic(err)
	}
	p := scheme.Params[0]
	config := last + ":" + p.Name + "=" + p.Text(p.Default)
	return strings.NewReplacer("FIRST", names[0], "LAST", last, "CONFIG", config)
}
