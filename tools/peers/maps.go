//go:build ignore

// Go maps: a map for each goroutine, merged at the end. It aggregates rows as scripts/groupby.lua does:
//
//	maps ROWS GOROUTINES GROUPS uniform|zipfian
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const passes = 5

// key spreads the numbers of groups.
func key(i uint32) uint32 {
	i = (i ^ i>>16) * 0x21f0aaad
	i = (i ^ i>>15) * 0x735a2d97
	return i ^ i>>15
}

// column draws the groups of rows: all are as likely, or number i is in proportion to i^-0.99.
func column(rows, groups int, skewed bool) []uint32 {
	sum, upTo, keys := 0.0, make([]float64, groups), make([]uint32, rows)
	for i := range upTo {
		sum += math.Pow(float64(i+1), map[bool]float64{true: -0.99}[skewed])
		upTo[i] = sum
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range keys {
		group, _ := slices.BinarySearch(upTo, random.Float64()*sum)
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
