package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// ticks are fixed marks of an axis.
type ticks []plot.Tick

func (t ticks) Ticks(_, _ float64) []plot.Tick { return t }

// evenly has about n marks at multiples of 1, 2 or 5 times a power of ten.
func evenly(low, high float64, n int) (list ticks) {
	step := niceStep((high - low) / float64(n))
	for k := math.Ceil(low/step - 1e-9); k*step <= high*(1+1e-9); k++ {
		list = append(list, plot.Tick{Value: k * step, Label: number(k*step, step)})
	}
	return list
}

// wholes has marks at whole numbers only: batches have no halves.
func wholes(low, high float64, n int) (list ticks) {
	step := niceStep(max((high-low)/float64(n), 1))
	if step != math.Trunc(step) {
		step *= 2
	}
	for x := math.Ceil(low/step) * step; x <= high; x += step {
		list = append(list, plot.Tick{Value: x, Label: number(x, step)})
	}
	return list
}

// niceStep rounds a step up.
func niceStep(least float64) float64 {
	if !(least > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= least*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// number writes a value with as many digits as the step needs.
func number(x, step float64) string {
	switch {
	case x == 0:
		return "0"
	case step >= 1e9:
		return trim(x/1e9) + "G"
	case step >= 1e6:
		return trim(x/1e6) + "M"
	case step >= 1e4:
		return trim(x/1e3) + "K"
	}
	digits := 0
	for s := step; digits < 12 && math.Abs(s-math.Round(s)) > 1e-6*s; digits++ {
		s *= 10
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func trim(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// byPowers has marks at powers of two if all values are such, else at powers of ten and at multiples of these, of
// which the more have labels the shorter the axis is.
func byPowers(low, high float64, values []float64) (list ticks) {
	isPower := func(x float64) bool { return x >= 1 && x < 1<<62 && math.Exp2(math.Round(math.Log2(x))) == x }
	if len(values) > 1 && len(lists.Filter(values, isPower)) == len(values) {
		return powersOfTwo(low, high)
	}
	decades := math.Log10(high / low)
	if decades < 0.5 {
		return evenly(low, high, mostMarks)
	}
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for m := 1.0; m < 10; m++ {
			x, label := m*power, ""
			if m == 1 || decades < 2.5 && (m == 2 || m == 5) || decades < 1 && (m == 3 || m == 7) {
				label = number(x, x)
			}
			if x >= low*(1-1e-9) && x <= high*(1+1e-9) {
				list = append(list, plot.Tick{Value: x, Label: label})
			}
		}
	}
	return list
}

// mostMarks is the largest number of marks with labels on an axis.
const mostMarks = 4

func powersOfTwo(low, high float64) (list ticks) {
	first, last := int(math.Ceil(math.Log2(low)-1e-9)), int(math.Floor(math.Log2(high)+1e-9))
	every := 1
	for (last-first)/every >= mostMarks {
		every++
	}
	for k := first; k <= last; k++ {
		label := lists.Either((k-first)%every == 0, binary(k), "")
		list = append(list, plot.Tick{Value: math.Ldexp(1, k), Label: label})
	}
	return list
}

// binary writes a power of two: 512, 16Ki, 4Mi.
func binary(k int) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	if k < 14 {
		return strconv.Itoa(1 << k)
	}
	return strconv.Itoa(1<<(k%10)) + units[k/10]
}

// named has a mark for each category.
func named(categories []string) (list ticks) {
	for i, name := range categories {
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	return list
}
