package tui

import (
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// verdictWidth is how wide the longest usual verdict is.
const verdictWidth = 17

// verdictText says in so many cells how a scheme compares with the baseline, with words
// first, since colours say nothing to some. The noise goes before the difference does.
func verdictText(v live.Verdict, w int) (style, string) {
	st, word := verdictStyle(v), ""
	switch v.Kind {
	case live.IsBaseline:
		return bold | accent, "baseline"
	case live.Incomparable:
		return faint, "other input"
	case live.Faster:
		word = "faster"
	case live.Slower:
		word = "slower"
	case live.Same:
		word = "same"
	default:
		if word = "unclear"; v.Pairs < 2 || !(v.Noise < 1) {
			return st, word
		}
	}
	change, noise := difference(v)
	if w < verdictWidth {
		return st, fmt.Sprintf("%-7s%s", word, change)
	}
	return st, fmt.Sprintf("%-7s%s %s", word, change, noise)
}

func verdictStyle(v live.Verdict) style {
	switch v.Kind {
	case live.Faster:
		return good
	case live.Slower:
		return bad
	case live.Same:
		return normal
	}
	return faint
}

// difference is a ratio as a change in percent, or a factor if it is large, and its noise.
func difference(v live.Verdict) (change, noise string) {
	if percent := 100 * (v.Ratio - 1); percent < 999.5 {
		return fmt.Sprintf("%+4.0f %%", percent), fmt.Sprintf("±%.0f", math.Ceil(100*v.Noise-1e-9))
	}
	return fmt.Sprintf("×%.4g", v.Ratio), fmt.Sprintf("±%.1g", v.Noise)
}

func drawVerdict(a area, _ style, r *row) {
	if r.name != "" {
		return
	}
	st, text := verdictText(r.scheme.Verdict, a.w)
	a.text(0, 0, st, a.c.fit(text, a.w))
}
