// Package nearest writes errors for unknown names and suggests the names that the user may have meant.
package nearest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Unknown returns the error for a name that is not known. It suggests the nearest known
// names, or lists all of them if none is near.
func Unknown(what, given string, known []string) error {
	if near := Names(given, known); len(near) > 0 {
		return fmt.Errorf("unknown %s %q: did you mean %s?", what, given, strings.Join(near, " or "))
	}
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", what, given)
	}
	return fmt.Errorf("unknown %s %q: choose from %s", what, given, strings.Join(known, ", "))
}

// Check returns the error for a name that is not among the known ones.
func Check(what, given string, known []string) error {
	if slices.Contains(known, given) {
		return nil
	}
	return Unknown(what, given, known)
}

// Index returns the index of the item with a name, or the error for an unknown name.
func Index[T any](what, given string, list []T, name func(T) string) (int, error) {
	known := lists.Map(list, name)
	return slices.Index(known, given), Check(what, given, known)
}

// Quoted quotes and shortens a text that is not trusted, for messages.
func Quoted(text string) string { return strconv.Quote(Shorten(text, 60)) }

// Shorten truncates a text to a number of characters.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Names returns up to three known names that start with the given one or differ from it
// in a few letters, nearest first.
func Names(given string, known []string) []string {
	distance := map[string]int{}
	least, limit := len(given), max(1, min(3, len(strings.TrimPrefix(given, "-"))/2))
	var near []string
	for _, name := range known {
		d := Distance(strings.ToLower(given), strings.ToLower(name))
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

// Distance counts insertions, deletions, changes and swaps of neighboring letters.
func Distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			change := lists.Either(a[i-1] == b[j-1], 0, 1)
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
