package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Plain is a text without what would move a terminal's cursor or change its colours:
// scripts and files are not trusted with that. A tab becomes a space, a line's end too.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, text)
}

// RateText writes a rate with three digits that mean something.
func RateText(mops float64) string {
	digits := 2 - int(math.Floor(math.Log10(max(mops, 0.01))))
	return strconv.FormatFloat(mops, 'f', min(max(digits, 0), 3), 64)
}

// MillisText writes seconds as milliseconds.
func MillisText(seconds float64) string { return fmt.Sprintf("%.3f", 1e3*seconds) }

// NoiseText is the worst noise of some rows in percent, with a star where it did not
// settle, and a question mark where there are too few runs to say.
func NoiseText(rows []Row) string {
	worst, settled := 0.0, true
	for _, r := range rows {
		if r.Noise == nil {
			return "?"
		}
		worst, settled = max(worst, *r.Noise), settled && r.Settled
	}
	text := fmt.Sprintf("%.1f", 100*worst)
	if !settled {
		text += "*"
	}
	return text
}
