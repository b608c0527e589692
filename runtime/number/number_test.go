package number

import (
	"math"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{"0.5": 0.5, "1e6": 1e6, "1_000": 1000, "20k": 20e3, "20K": 20e3, "0.01M": 1e4, "-1.5G": -1.5e9} {
		got, ok := Parse(text)
		must.Hold(t, ok && math.Abs(got-want) <= 1e-9*math.Abs(want), "%s is %v, %v", text, got, ok)
	}
	for _, text := range []string{"", "k", "1kk", "0x10", "inf", "NaN", "1e400", "1e300G", "1 000", "one"} {
		got, ok := Parse(text)
		must.Hold(t, !ok, "%q is %v", text, got)
	}
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]int64{"7": 7, "-3": -3, "20M": 20_000_000, "1.5M": 1_500_000, "1e6": 1_000_000, "0.01M": 10_000,
		"9_223_372_036_854_775_807": math.MaxInt64, "9223372036G": 9223372036_000_000_000} {
		got, ok := Integer(text)
		must.Hold(t, ok && got == want, "%s is %d, %v", text, got, ok)
	}
	for _, text := range []string{"", "0.5", "1.0001k", "1e19", "9223372037G", "9223372036854775808", "M", "0x10"} {
		got, ok := Integer(text)
		must.Hold(t, !ok, "%q is %d", text, got)
	}
}

func TestSeeds(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "7": 7, "1e3": 1000, "20K": 20000, "9223372036854775807": MaxSeed} {
		got, ok := Seed(text)
		must.Hold(t, ok && got == want, "%s: %d, %v", text, got, ok)
	}
	for _, text := range []string{"", "-1", "0.5", "9223372036854775808", "1e19", "x"} {
		got, ok := Seed(text)
		must.Hold(t, !ok, "%q: %d", text, got)
	}
}

func TestBytes(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 999: "999 B", 1024: "1 KiB", 1500: "1.5 KiB", 80 << 30: "80 GiB", 1 << 50: "1024 TiB"} {
		must.Match(t, Bytes(bytes), want, bytes)
	}
}
