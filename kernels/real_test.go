package kernels_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// reals returns the logarithm, exponential and normal quantile of each x.
func reals(t *testing.T, x []float64) (log, exp, quantile []float64) {
	t.Helper()
	y := make([]float64, 3*len(x))
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&x[0])
	pin.Pin(&y[0])
	run(t, "hz_real", unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), 0, uint64(len(x)))
	for i := range x {
		log, exp, quantile = append(log, y[3*i]), append(exp, y[3*i+1]), append(quantile, y[3*i+2])
	}
	return log, exp, quantile
}

// units returns the distance of two numbers in units in the last place.
func units(a, b float64) float64 {
	if a == b {
		return 0
	}
	_, exponent := math.Frexp(b)
	return math.Abs(a-b) / math.Ldexp(1, exponent-53)
}

// Go's own Exp is only accurate to one unit in the last place, in assembly.
func TestLogarithmAndExponential(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	near := func() float64 { return (r.Float64() - 0.5) * math.Exp(-30*r.Float64()) }
	x := []float64{1, 2, 0.5, math.E, math.Nextafter(1, 0), math.Nextafter(1, 2), math.Sqrt2, math.Sqrt(0.5), 1e300, 1e-300}
	y := []float64{0, 1, -1, 709, -708, math.Ln2 / 2, -math.Ln2 / 2, 1e-300, -1e-17}
	for range 200_000 {
		x = append(x, math.Exp(r.Float64()*1400-700), 1+near())
		y = append(y, r.Float64()*1417-708, near())
	}
	log, _, _ := reals(t, x)
	_, exp, _ := reals(t, y)
	offLog, offExp := 0.0, 0.0
	for i := range x {
		offLog = max(offLog, units(log[i], math.Log(x[i])))
	}
	for i := range y {
		offExp = max(offExp, units(exp[i], math.Exp(y[i])))
	}
	if log[0] != 0 || exp[0] != 1 || offLog > 1.5 || offExp > 2 {
		t.Errorf("ln 1 is %g and e^0 %g; elsewhere off by up to %.2f and %.2f units in the last place, want at most 1.5 and 2", log[0], exp[0], offLog, offExp)
	}
}

// The quantile is checked through its inverse, which package math computes by another method.
func TestNormalQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := []float64{0.5, 0.075, 0.925, 0x1p-53, 1 - 0x1p-53, 0x1p-60}
	for range 100_000 {
		x = append(x, r.Float64(), math.Exp(-36*r.Float64()))
	}
	_, _, z := reals(t, x)
	must.Hold(t, z[0] == 0, "the quantile of 1/2 is %g", z[0])
	for i, p := range x {
		if p >= 1 || p <= 0 {
			continue
		}
		// An error dz of z appears as density(z) dz, and Erfc adds its own error.
		density := math.Exp(-z[i]*z[i]/2) / math.Sqrt(2*math.Pi)
		off := (0.5*math.Erfc(-z[i]/math.Sqrt2) - p) / density
		must.Need(t, math.Abs(off) <= 1e-14*(1+math.Abs(z[i]))+2e-16/density*boolToFloat(p > 0.5), "the quantile of %g is %.17g, off by %g", p, z[i], off)
	}
}

// boolToFloat returns 1 for true: above one half, p itself is only accurate to 1e-16 absolutely, not relatively.
func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
