// Package lists has what package slices lacks.
package lists

// Map returns the results of a function for the items of a list; of none, nil.
func Map[T, U any](list []T, f func(T) U) []U {
	var results []U
	for _, item := range list {
		results = append(results, f(item))
	}
	return results
}
