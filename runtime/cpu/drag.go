//go:build !slower

package cpu

import "time"

// drag does nothing, except in a build with the tag slower.
func drag(time.Time) {}
