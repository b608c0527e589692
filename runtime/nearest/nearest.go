// Package nearest makes errors for names that nothing has: they offer the names
// that could have been meant.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// Unknown is the error for a name that nothing has: it offers the nearest names,
// or all of them if none is near.
func Unknown(what, given string, known []string) error {
	near := Names(given, known)
	if len(near) > 0 {
		return fmt.Errorf("unknown %s %q: did you mean %s?", what, given, strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown %s %q: there are %s", what, given, strings.Join(known, ", "))
}

// Names returns up to three of the known names that could have been meant, the
// nearest first: those that start so, or differ in few letters.
func Names(given string, known []string) []string {
	distance := map[string]int{}
	least, limit := len(given), max(1, min(3, len(given)/2))
	var near []string
	for _, name := range known {
		d := editDistance(strings.ToLower(given), strings.ToLower(name))
		if given != "" && strings.HasPrefix(name, given) {
			d = min(d, 1)
		}
		if d <= limit {
			near, distance[name], least = append(near, name), d, min(least, d)
		}
	}
	near = slices.DeleteFunc(near, func(name string) bool { return distance[name] > least+1 })
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })
	return near[:min(len(near), 3)]
}

// editDistance counts the letters to insert, drop, change, or swap with their
// neighbour.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
