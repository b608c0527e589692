// Package lists has what packages slices and cmp lack.
package lists

import (
	"cmp"
	"maps"
	"slices"
)

// Map returns the results of a function for the items of a list; of none, nil.
func Map[T, U any](list []T, f func(T) U) (results []U) {
	for _, item := range list {
		results = append(results, f(item))
	}
	return results
}

// Make makes a list of n items, each by its index.
func Make[T any](n int, item func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}

// TryMap is Map for a function that may fail. It stops at the first error, and returns the results before it.
func TryMap[T, U any](list []T, f func(T) (U, error)) (results []U, err error) {
	for _, item := range list {
		result, err := f(item)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

// Filter returns the items to keep; the list stays as it is.
func Filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}

// Each calls a function with the items, up to its first error, which it returns.
func Each[T any](list []T, do func(T) error) error {
	for _, item := range list {
		if err := do(item); err != nil {
			return err
		}
	}
	return nil
}

// Every reports whether all entries of a map have a property.
func Every[K comparable, V any](entries map[K]V, is func(K, V) bool) bool {
	for key, value := range entries {
		if !is(key, value) {
			return false
		}
	}
	return true
}

// First returns the first item with a property, or the zero value if there is none.
func First[T any](list []T, is func(T) bool) (item T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		item = list[i]
	}
	return item
}

// Either returns one of two values.
func Either[T any](when bool, yes, no T) T {
	if when {
		return yes
	}
	return no
}

// Must returns a value whose error cannot be.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Add adds the items that the list lacks.
func Add[T comparable](list []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// Unique keeps the first of equal items.
func Unique[T comparable](list []T) []T { return Add(nil, list...) }

// At returns the first item with a property. If the list has none, it adds one.
func At[T any](list *[]T, is func(T) bool, added T) *T {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i, *list = len(*list), append(*list, added)
	}
	return &(*list)[i]
}

// Groups puts items with equal keys together, in the order of the first of each group.
func Groups[L ~[]T, T any, K comparable](list L, key func(T) K) (groups []L) {
	number := map[K]int{}
	for _, item := range list {
		i, ok := number[key(item)]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			number[key(item)] = i
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// Keys are the different keys of the items' maps, sorted.
func Keys[T, V any](list []T, of func(T) map[string]V) []string {
	keys := map[string]bool{}
	for _, item := range list {
		for key := range of(item) {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// Sum adds up the numbers of items.
func Sum[T any, N cmp.Ordered](list []T, number func(T) N) (sum N) {
	for _, item := range list {
		sum += number(item)
	}
	return sum
}

// Max returns the largest of the numbers of items, at least 0.
func Max[T any, N cmp.Ordered](list []T, number func(T) N) (most N) {
	for _, item := range list {
		most = max(most, number(item))
	}
	return most
}
