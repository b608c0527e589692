package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/check"
)

// Page is docs/papers.md: what is known of the papers, with what a check found on a CPU and on a GPU, a model of NVIDIA.
func Page(papers []Paper, cpu, gpu []check.Finding, model string) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(head, "GPU_MODEL", model))
	for _, p := range papers {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| in the paper | here |\n|---|---|\n", p.Title, p.By)
		for _, m := range p.Mechanisms {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(m.What), cell(m.Here))
		}
		fmt.Fprintf(&b, "\n| figure | measured | paper | CPU | %s | verdict |\n|---|---|---|---|---|---|\n", model)
		missing := ""
		for _, f := range p.Figures {
			if f.Not != "" {
				missing += fmt.Sprintf("- %s: %s\n", f.What, f.Not)
			}
			writeClaims(&b, p, f, cpu, gpu)
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

A claim holds if the condition in its file, ` + "`scripts/paper/*.claims.toml`" + `, is met by the results of its script. Most conditions are about an order or a trend, as rates of another GPU cannot be equal. Where a claim differs, the reason follows.

"CPU" is a small version of the script, on one thread with seed 1, where counts are the same on every machine. "GPU_MODEL" is one run on an NVIDIA GPU_MODEL with the papers' sizes where they fit; only it judges rates. If the two verdicts differ, the CPU's comes first.

This page is written by ` + "`go test ./workloads/papers -run Docs -update`" + `, from a check on the CPU and that of the GPU in ` + "`workloads/papers/testdata/gpu.json`" + `, written by the second command with ` + "`--json`" + `.
`

// writeClaims writes a row for each claim of a figure.
func writeClaims(b *strings.Builder, p Paper, f Figure, cpu, gpu []check.Finding) {
	what := fmt.Sprintf("%s (`%s`)", cell(f.What), f.path())
	if f.Script != "" {
		what = fmt.Sprintf("[%s](../scripts/%s.lua)", cell(f.What), f.path())
	}
	for _, c := range f.Claims {
		small, large := finding(cpu, p, f, c), finding(gpu, p, f, c)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", what,
			cell(c.Claim), cell(c.Paper), cell(small.Claim.Ours), cell(large.Claim.Ours), cell(c.verdict(small, large)))
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

// verdict is that of the CPU and of the GPU, which alone judges rates. The file says why it differs; it may have been
// edited since the check.
func (c Claim) verdict(cpu, gpu check.Finding) string {
	for _, f := range []*check.Finding{&cpu, &gpu} {
		if f.Status == check.Differs {
			f.Why = cmp.Or(c.Differs, c.GPUDiffers)
		}
	}
	if cpu.Status == check.Unavailable || cpu.Verdict() == gpu.Verdict() {
		return gpu.Verdict()
	}
	return cpu.Verdict() + "; " + gpu.Verdict()
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
