package tui

import (
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// verdictWidth is the width of the longest usual verdict.
const verdictWidth = 17

// verdictText says how a scheme compares with the baseline, in words, since not everyone sees
// colors. In fewer cells the noise is left out.
func verdictText(v live.Verdict, w int) (st style, text string) {
	word := ""
	switch v.Kind {
	case live.IsBaseline:
		return bold | accent, "baseline"
	case live.Incomparable:
		return faint, "other input"
	case live.Faster:
		st, word = good, "faster"
	case live.Slower:
		st, word = bad, "slower"
	case live.Same:
		st, word = normal, "same"
	default:
		if st, word = faint, "unclear"; v.Pairs < 2 || !(v.Noise < 1) {
			return st, word
		}
	}
	change, noise := difference(v)
	if w < verdictWidth {
		return st, fmt.Sprintf("%-7s%s", word, change)
	}
	return st, fmt.Sprintf("%-7s%s %s", word, change, noise)
}

// difference is a ratio as a change in percent, or as a factor if it is large, and its noise.
func difference(v live.Verdict) (change, noise string) {
	if percent := 100 * (v.Ratio - 1); percent < 999.5 {
		return fmt.Sprintf("%+4.0f %%", percent), fmt.Sprintf("±%.0f", math.Ceil(100*v.Noise-1e-9))
	}
	return fmt.Sprintf("×%.4g", v.Ratio), fmt.Sprintf("±%.1g", v.Noise)
}

func drawVerdict(a area, _ style, r *row) {
	if r.name == "" {
		st, text := verdictText(r.scheme.Verdict, a.w)
		a.text(0, 0, st, text)
	}
}
