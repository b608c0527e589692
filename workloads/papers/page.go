package papers

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/check"
)

// Page is docs/papers.md: what is known of the papers, with what a check found.
func Page(papers []Paper, findings []check.Finding) string {
	var b strings.Builder
	b.WriteString(head)
	for _, p := range papers {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| mechanism | here |\n|---|---|\n", p.Title, p.By)
		for _, m := range p.Mechanisms {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(m.What), cell(m.Here))
		}
		b.WriteString("\n| figure or table | script | claim | paper | ours | verdict |\n|---|---|---|---|---|---|\n")
		for _, f := range p.Figures {
			writeFigure(&b, p, f, findings)
		}
	}
	return b.String()
}

const head = `# The papers, figure by figure

` + "```sh by hand" + `
hashzoo check --part papers                    # counts, on a CPU: half a minute
hashzoo check --part papers --device cuda:0    # and rates, with the papers' sizes
` + "```" + `

Every mechanism, figure and table of the papers that the zoo follows, and what became of it here. A claim is what a paper says of a figure, with a condition on the results of its script: beside the scripts, in the files ` + "`scripts/paper/*.claims.toml`" + `, is how each is measured. The check runs small versions of the scripts on one thread of a CPU, where counts (probes, sectors, failed inserts, fills, memory) are the same on every run and every machine; "ours" is from there, with seed 1. Rates are of a machine: they are checked on a GPU, with the sizes of the papers where they fit. A claim that does not hold says why, and the check fails if it holds after all.

This page is written by ` + "`go test ./workloads/papers -run Docs -update`" + `, which makes that check.
`

func writeFigure(b *strings.Builder, p Paper, f Figure, findings []check.Finding) {
	if f.Script == "" {
		fmt.Fprintf(b, "| %s | | | | | not here: %s |\n", cell(f.What), cell(f.Not))
		return
	}
	what, script := cell(f.What), fmt.Sprintf("[%s](../scripts/%s.lua)", f.Script, f.path())
	if len(f.Claims) == 0 {
		fmt.Fprintf(b, "| %s | %s | | | | |\n", what, script)
	}
	for _, found := range findings {
		if found.Claim == nil || found.Claim.Paper != p.Title || found.Claim.Figure != f.What {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", what, script,
			cell(found.What), cell(found.Claim.Published), cell(found.Claim.Ours), cell(found.Verdict()))
		what, script = "", ""
	}
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
