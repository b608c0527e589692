package scheme_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
)

// Numbers of alloc.h.
const (
	slabBytes  = 128
	blockUnits = 1024    // units per memory block
	superUnits = 1 << 24 // the maximum number of units per super block
)

// Section III-C: the memory utilization x/(Mx+y) * n/sum(k_i) as a function of the
// average slab count beta; its limit is 30/32.
func TestSlabsOfBucketsFollowThePaper(t *testing.T) {
	// Nearly all tables reach 97 percent of it.
	utilization := func(beta float64) float64 {
		c := parsed(t, fmt.Sprintf("slab:beta=%.0f", 100*beta))
		return c.MaxLoad(c) / 0.97
	}
	for _, point := range []struct{ beta, least, most float64 }{
		{0.2, 0.185, 0.190}, {0.7, 0.58, 0.62}, {1, 0.60, 0.67}, {2, 0.75, 0.78}, {64, 0.92, 0.9375},
	} {
		have := utilization(point.beta)
		must.Hold(t, have >= point.least && have <= point.most, "beta %g: memory utilization %.4f, want %g to %g", point.beta, have, point.least, point.most)
	}
}

// The slabs of a bucket, summed explicitly for few pairs: 15 and a 16th, Poisson distributed. With 15 * beta pairs of
// 15 items for each bucket, the utilization is 15/16 * beta / slabs.
func TestSlabsOfBucket(t *testing.T) {
	mean, sum, p := 3.0, 0.0, math.Exp(-3)
	for k := range 200 {
		sum += p * max(1, math.Ceil(float64(k)/15))
		p *= mean / float64(k+1)
	}
	c := parsed(t, "slab:beta=20")
	have := 0.97 * 15 / 16 * 0.2 / c.MaxLoad(c)
	must.Hold(t, math.Abs(have-sum) <= 1e-9, "%g pairs: %.12f slabs, want %.12f", mean, have, sum)
}

func parsed(t *testing.T, text string) schemes.Config {
	t.Helper()
	return must.Get(schemes.Parse(text))(t)
}

func TestSlabSize(t *testing.T) {
	for _, c := range []struct {
		text             string
		shape            schemes.Shape
		buckets, most    uint64 // at least this many buckets, at most this many slabs
		load, mostLoaded float64
	}{
		{"slab", schemes.Shape{Capacity: 1}, 1, 1, 0, 0},
		{"slab", schemes.Shape{Capacity: 2048}, 6, 128, 0, 0},
		{"slab", schemes.Shape{N: 1 << 22, Load: 0.6}, 400_000, 436_907, 0.599, 0.6},
		{"slab", schemes.Shape{N: 1 << 22, Load: 0.9}, 20_000, 291_272, 0.899, 0.9},
		{"slab", schemes.Shape{N: 1 << 22, Load: 0.9374}, 1, 279_651, 0.93, 0.9375},
		{"slab:beta=55", schemes.Shape{N: 1 << 22, Load: 0.9375}, 508_400, 520_000, 0.50, 0.52},
		{"slab:beta=200", schemes.Shape{N: 1 << 22, Load: 0.9375}, 139_810, 366_000, 0.75, 0.77},
		{"slab:alloc=super", schemes.Shape{Bytes: 1 << 20}, 800, 8192, 0, 0},
		{"slab:alloc=super,spare=50", schemes.Shape{Bytes: 1 << 20}, 500, 8192, 0, 0},
		{"slab:spare=50", schemes.Shape{N: 1 << 20, Load: 0.6}, 100_000, 163_841, 0.399, 0.401},
	} {
		config := parsed(t, c.text)
		c.shape.Pair = schemes.Pair4
		l := must.Get(config.Size(config, c.shape))(t)
		slabs := l.Capacity / 16
		must.Hold(t, l.Buckets >= c.buckets && slabs <= c.most && l.Buckets <= slabs, "%s %+v: %d buckets and %d slabs", c.text, c.shape, l.Buckets, slabs)
		if load := float64(c.shape.N) / float64(l.Capacity); load < c.load || load > c.mostLoaded {
			t.Errorf("%s %+v: load factor %.4f", c.text, c.shape, load)
		}
		must.Hold(t, c.shape.Bytes == 0 || uint64(l.Bytes()) <= c.shape.Bytes, "%s %+v: takes %d bytes", c.text, c.shape, l.Bytes())
	}
}

// All pairs would be in one list, and every insert would walk it.
func TestSlabRefusesLoadsAboveItsUtilization(t *testing.T) {
	c := parsed(t, "slab")
	_, err := c.Size(c, schemes.Shape{N: 1 << 22, Load: 0.95, Pair: schemes.Pair4})
	must.Hold(t, err != nil && strings.Contains(err.Error(), "at most 0.9375"), "load 0.95: %v, want the largest load", err)
}

func TestSlabRefusesWiderPairs(t *testing.T) {
	c := parsed(t, "slab")
	want := "scheme slab has no pairs k8v8: it has [k4v4 k4v0]: lanes of a slab have 32 bits: two for each pair, and one for the pointer"
	err := c.CompiledFor(schemes.Pair8)
	must.Hold(t, err != nil && err.Error() == want, "%v, want %s", err, want)
}

// All super blocks but the first have as many units as there can be.
func TestSlabSuperBlocks(t *testing.T) {
	c := parsed(t, "slab:alloc=super,beta=10000")
	for slabs, want := range map[uint64]int{1: 1, superUnits: 1, 2*superUnits - 1: 2, 3*superUnits - 1: 3} {
		l := must.Get(c.Size(c, schemes.Shape{Pair: schemes.Pair4, Capacity: 16 * slabs}))(t)
		units, list := int64(l.Capacity/16-l.Buckets), l.Regions[2:]
		full := int64(superUnits/blockUnits+superUnits) * slabBytes
		for i, r := range list {
			must.Hold(t, i == 0 || r.Bytes == full, "%d slabs: super block %d has %d bytes", slabs, i, r.Bytes)
			units -= r.Bytes / slabBytes * blockUnits / (blockUnits + 1)
		}
		must.Hold(t, len(list) == want && units <= int64(len(list)) && units >= -int64(len(list)),
			"%d slabs: %d super blocks, and %d units more", slabs, len(list), units)
	}
}
