package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/schemes"
)

//go:embed help.txt
var helpTexts string

// describe gives commands their arguments, texts and examples, which are in help.txt.
func describe(root *cobra.Command) {
	names := exampleNames()
	for _, section := range strings.Split(helpTexts, "\n# ")[1:] {
		usage, text, _ := strings.Cut(section, "\n")
		short, text, _ := strings.Cut(text, "\n")
		command, arguments, err := root.Find(strings.Fields(usage))
		if err != nil || command == root {
			panic("help.txt: there is no command " + usage)
		}
		long, examples, _ := strings.Cut(text, "\n\n  ")
		command.Use = strings.Join(append([]string{command.Name()}, arguments...), " ")
		command.Short, command.Long = short, strings.TrimSpace(long)
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
