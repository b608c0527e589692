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
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| mechanism | here |\n|---|---|\n", p.Title, p.By)
		for _, m := range p.Mechanisms {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(m.What), cell(m.Here))
		}
		fmt.Fprintf(&b, "\n| figure or table | script | claim | paper | CPU | %s | verdict |\n|---|---|---|---|---|---|---|\n", model)
		for _, f := range p.Figures {
			writeFigure(&b, p, f, cpu, gpu)
		}
	}
	return b.String()
}

const head = `# The papers, figure by figure

` + "```sh by hand" + `
hashzoo check --part papers                    # counts, on a CPU: half a minute
hashzoo check --part papers --device cuda:0    # and rates, with the papers' sizes: five minutes
` + "```" + `

Every mechanism, figure and table of the papers that the zoo follows, and what became of it here. A claim is what a paper says of a figure, with a condition on the results of its script: beside the scripts, in the files ` + "`scripts/paper/*.claims.toml`" + `, is how each is measured. A claim that does not hold says why.

The column "CPU" is of small versions of the scripts, on one thread with seed 1, where counts (probes, sectors, failed inserts, fills, memory) are the same on every run and every machine; a claim that holds there after all fails the check. The column "GPU_MODEL" is of one run on one NVIDIA GPU_MODEL, with the sizes of the papers where they fit, where rates are judged, too: millions per second, if it is not a ratio. The verdict is for both, or for each in this order.

This page is written by ` + "`go test ./workloads/papers -run Docs -update`" + `, which makes the check on the CPU; that of the GPU is in ` + "`workloads/papers/testdata/gpu.json`" + `, written by the second command with ` + "`--json`" + `.
`

func writeFigure(b *strings.Builder, p Paper, f Figure, cpu, gpu []check.Finding) {
	if f.Not != "" {
		fmt.Fprintf(b, "| %s | | | | | | not here: %s |\n", cell(f.What), cell(f.Not))
		return
	}
	what, script := cell(f.What), "`"+f.path()+"`"
	if f.Script != "" {
		script = fmt.Sprintf("[%s](../scripts/%s.lua)", f.Script, f.path())
	}
	if len(f.Claims) == 0 {
		fmt.Fprintf(b, "| %s | %s | | | | | |\n", what, script)
	}
	for _, c := range f.Claims {
		small, large := finding(cpu, p, f, c), finding(gpu, p, f, c)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", what, script,
			cell(c.Claim), cell(c.Paper), cell(small.Claim.Ours), cell(large.Claim.Ours), cell(c.verdict(small, large)))
		what, script = "", ""
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
