package papers

import (
	"cmp"
	_ "embed" // the page
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/check"
)

//go:embed page.txt
var pageText string

// Page is docs/papers.md: what is known of the papers, with what a check found on a GPU, a model of NVIDIA.
func Page(papers []Paper, findings []check.Finding, model string) string {
	var b strings.Builder
	page := template.Must(template.New("").Funcs(template.FuncMap{
		"cell":    cell,
		"model":   func() string { return model },
		"row":     func(p Paper, f Figure, i int) string { return row(p, f, i, findings) },
		"missing": func(all []Figure) []Figure { return lists.Filter(all, func(f Figure) bool { return f.Not != "" }) },
	}).Parse(pageText))
	if err := page.Execute(&b, papers); err != nil {
		panic(err) // a mistake in page.txt
	}
	return b.String()
}

// row is a claim of a figure, whose name is in the first one.
func row(p Paper, f Figure, i int, findings []check.Finding) string {
	what := ""
	switch {
	case i == 0 && f.Script != "":
		what = fmt.Sprintf("[%s](../scripts/%s.lua): ", cell(f.What), f.path())
	case i == 0:
		what = fmt.Sprintf("%s (`%s`): ", cell(f.What), f.path())
	}
	c := f.Claims[i]
	found := finding(findings, p, f, c)
	return fmt.Sprintf("| %s%s | %s | %s |%s |", what, cell(c.Claim), cell(c.Paper), cell(found.Claim.Ours), cell(c.differs(found)))
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
