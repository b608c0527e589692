//go:build ignore

// Go maps: a map for each goroutine, merged at the end. It aggregates rows as scripts/groupby.lua does:
//
//	maps ROWS GOROUTINES GROUPS uniform|zipfian
package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const passes = 5

// key spreads the numbers of groups; randomBits draws rows.
func key(i uint32) uint32 {
	i = (i ^ i>>16) * 0x21f0aaad
	i = (i ^ i>>15) * 0x735a2d97
	return i ^ i>>15
}

func randomBits(i uint64) uint64 {
	i = (i + 1) * 0x9e3779b97f4a7c15
	i = (i ^ i>>30) * 0xbf58476d1ce4e5b9
	i = (i ^ i>>27) * 0x94d049bb133111eb
	return i ^ i>>31
}

const theta = 0.99

type zipfian struct{ n, zeta, eta float64 }

func newZipfian(n int) zipfian {
	z := zipfian{n: float64(n)}
	for i := 1; i <= n; i++ {
		z.zeta += math.Pow(float64(i), -theta)
	}
	z.eta = (1 - math.Pow(2/z.n, 1-theta)) / (1 - (1+math.Pow(2, -theta))/z.zeta)
	return z
}

func (z zipfian) draw(unit float64) int {
	switch scaled := unit * z.zeta; {
	case scaled < 1:
		return 0
	case scaled < 1+math.Pow(2, -theta):
		return min(1, int(z.n)-1)
	}
	return min(int(z.n)-1, int(z.n*math.Pow(z.eta*unit-z.eta+1, 1/(1-theta))))
}

func column(rows, groups int, skewed bool) []uint32 {
	z, keys := newZipfian(groups), make([]uint32, rows)
	for i := range keys {
		unit := float64(randomBits(uint64(i))>>11) / (1 << 53)
		group := int(unit * float64(groups))
		if skewed {
			group = z.draw(unit)
		}
		keys[i] = key(uint32(group) + 1)
	}
	return keys
}

// aggregated returns millions of rows per second, into maps with room for all groups.
func aggregated(rows []uint32, goroutines, groups int) float64 {
	maps := make([]map[uint32]uint32, goroutines)
	for i := range maps {
		maps[i] = make(map[uint32]uint32, groups)
	}
	var all sync.WaitGroup
	began := time.Now()
	for i, mine := range maps {
		all.Go(func() {
			first, end := len(rows)*i/goroutines, len(rows)*(i+1)/goroutines
			for row := first; row < end; row++ {
				mine[rows[row]] += uint32(row % 1000)
			}
		})
	}
	all.Wait()
	for _, other := range maps[1:] {
		for key, value := range other {
			maps[0][key] += value
		}
	}
	return float64(len(rows)) / time.Since(began).Seconds() * 1e-6
}

func main() {
	var rows, goroutines, groups int
	var skew string
	n, err := fmt.Sscan(strings.Join(os.Args[1:], " "), &rows, &goroutines, &groups, &skew)
	if err != nil || n < 4 || min(rows, goroutines, groups) < 1 || skew != "uniform" && skew != "zipfian" {
		fmt.Fprintln(os.Stderr, "usage: maps ROWS GOROUTINES GROUPS uniform|zipfian")
		os.Exit(2)
	}
	keys := column(rows, groups, skew == "zipfian")
	var rates []float64
	for range passes {
		rates = append(rates, aggregated(keys, goroutines, groups))
	}
	slices.Sort(rates)
	fmt.Printf("%.1f\n", rates[passes/2])
}
