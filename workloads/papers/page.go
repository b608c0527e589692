package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/check"
)

// Page is docs/papers.md: what is known of the papers, with what a check found on a GPU, a model of NVIDIA.
func Page(papers []Paper, findings []check.Finding, model string) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(head, "GPU_MODEL", model))
	for _, p := range papers {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| in the paper | here |\n|---|---|\n", p.Title, p.By)
		for _, m := range p.Mechanisms {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(m.What), cell(m.Here))
		}
		b.WriteString("\n| measured | paper | here | differs, because |\n|---|---|---|---|\n")
		missing := ""
		for _, f := range p.Figures {
			if f.Not != "" {
				missing += fmt.Sprintf("- %s: %s\n", f.What, f.Not)
			}
			writeClaims(&b, p, f, findings)
		}
		if missing != "" {
			b.WriteString("\nNot here:\n\n" + missing)
		}
	}
	return b.String()
}

const head = `# The papers, figure by figure

` + "```sh by hand" + `
hashzoo check --part papers                    # counts, on a CPU: half a minute
hashzoo check --part papers --device cuda:0    # and rates, with the papers' sizes: five minutes
` + "```" + `

A claim holds if the results of its script meet the condition in ` + "`scripts/paper/*.claims.toml`" + `: mostly an order or a trend, as rates of another GPU cannot be equal. Where one does not, the last column says why. "here" is one run on an NVIDIA GPU_MODEL, with the papers' sizes where they fit.

` + "`go test ./workloads/papers -run Docs -update`" + ` writes this page from ` + "`workloads/papers/testdata/gpu.json`" + `, which is the second command's output with ` + "`--json`" + `.
`

// writeClaims writes a row for each claim of a figure.
func writeClaims(b *strings.Builder, p Paper, f Figure, findings []check.Finding) {
	what := fmt.Sprintf("%s (`%s`): ", cell(f.What), f.path())
	if f.Script != "" {
		what = fmt.Sprintf("[%s](../scripts/%s.lua): ", cell(f.What), f.path())
	}
	for _, c := range f.Claims {
		found := finding(findings, p, f, c)
		fmt.Fprintf(b, "| %s%s | %s | %s |%s |\n", what, cell(c.Claim), cell(c.Paper), cell(found.Claim.Ours), cell(c.differs(found)))
		what = ""
	}
}

// finding is what a check found of a claim.
func finding(all []check.Finding, p Paper, f Figure, c Claim) check.Finding {
	at := slices.IndexFunc(all, func(found check.Finding) bool {
		return found.What == c.Claim && found.Claim.Paper == p.Title && found.Claim.Figure == f.What
	})
	if at < 0 {
		return check.Finding{Status: check.Unavailable, Why: "not measured", Claim: &check.Claim{}}
	}
	return all[at]
}

// differs says why a claim does not hold on the GPU. The file says why; it may have been edited since the check.
func (c Claim) differs(found check.Finding) string {
	switch {
	case found.Status == check.Passed:
		return ""
	case found.Status != check.Differs:
		return " " + found.Verdict()
	case c.Differs == "" && !c.Rate:
		return " only at the paper's size: " + c.GPUDiffers
	}
	return " " + cmp.Or(c.Differs, c.GPUDiffers)
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
