// Package host is the host side of the scheme slab (slab.h).
package host

import (
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// usualLoad is the target load factor of a table whose shape gives its size but not the
// number of pairs.
const usualLoad = 0.86

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	MaxLoad: maxLoad, Size: size, Setup: setup, Rows: rows, Gauges: gauges,
	Host: map[string]schemes.HostOp{"insert": insert, "flush": flush},
}

func isLight(c schemes.Config) bool { return c.Get("alloc") == 0 }

func maxLoad(c schemes.Config) float64 {
	beta := float64(c.Get("beta")) / 100
	if beta == 0 {
		return usualLoad
	}
	items := float64(itemsOf(schemes.Pair4))
	return 0.97 * beta / slabsOfBucket(beta*items, items) * items / float64(placesOf(schemes.Pair4))
}
