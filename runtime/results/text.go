package results

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Plain replaces control characters, which could move a terminal's cursor or change its
// colors: texts of scripts and files are not trusted. Tabs and newlines become spaces.
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

// Clean is a writer of lines in which scripts and files may have a part: see Plain.
type Clean struct{ io.Writer }

func (c Clean) Write(text []byte) (int, error) {
	lines := lists.Map(strings.Split(string(text), "\n"), Plain)
	_, err := io.WriteString(c.Writer, strings.Join(lines, "\n"))
	return len(text), err
}

// RateText formats a rate with three significant digits.
func RateText(mops float64) string {
	digits := 2 - int(math.Floor(math.Log10(max(mops, 0.01))))
	return strconv.FormatFloat(mops, 'f', min(max(digits, 0), 3), 64)
}

// MillisText formats seconds as milliseconds.
func MillisText(seconds float64) string { return fmt.Sprintf("%.3f", 1e3*seconds) }

// Enough reports whether there are enough batches to have a percentile: ten have no 99th.
func Enough(part float64, batches uint64) bool { return float64(batches)*(1-part) >= 1-1e-9 }

// MaxNoise is the noise above which a figure says nothing, and NoFigure is shown instead.
const (
	MaxNoise = 0.5
	NoFigure = "no figure"
)

// LeastRuns is how many runs show how noisy they are: with fewer, no interval holds their median with a probability of 95
// percent.
const LeastRuns = 6

// NoiseText formats the worst noise of the rows in percent: "?" with too few runs to
// tell, "no figure" above MaxNoise, a trailing "*" if a row did not settle.
func NoiseText(rows []Row) string {
	worst, star := 0.0, ""
	for _, r := range rows {
		if r.Noise == nil {
			return "?"
		}
		worst = max(worst, *r.Noise)
		if !r.Settled {
			star = "*"
		}
	}
	return lists.Either(worst > MaxNoise, NoFigure, fmt.Sprintf("%.1f", 100*worst)+star)
}

// WriteJSON writes a value, indented.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
