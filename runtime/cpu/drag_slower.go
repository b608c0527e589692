//go:build slower

package cpu

import "time"

// drag makes everything 5 percent slower: tools/trials.sh tests that comparisons find it.
func drag(start time.Time) {
	for end := time.Since(start) * 105 / 100; time.Since(start) < end; {
	}
}
