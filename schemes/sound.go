package schemes

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

// soundShapes are the shapes that sizing is tested with.
var soundShapes = []Shape{
	{Capacity: 1}, {Capacity: 7}, {Capacity: 1000}, {Capacity: 1 << 20},
	{N: 1, Load: 0.5}, {N: 1 << 20, Load: 0.5}, {N: 12345, Load: 0.3}, {Bytes: 1 << 24},
}

// Sound returns an error if a scheme's declared sizes and load factors are impossible for
// a configuration.
func (c Config) Sound(pair Pair) error {
	if most := c.MaxLoad(c); !(most > 0 && most <= 1) {
		return fmt.Errorf("%s: the highest load factor is %g: it takes more than 0 and at most 1", c, most)
	}
	for _, shape := range soundShapes {
		shape.Pair = pair
		l, err := c.Size(c, shape)
		if err == nil {
			err = c.soundLayout(l, shape)
		}
		if err != nil {
			return fmt.Errorf("%s, a table of %+v: %w", c, shape, err)
		}
		c.Block(l, 1, nil)
	}
	return nil
}

func (c Config) soundLayout(l Layout, shape Shape) error {
	switch {
	case l.Capacity < max(shape.Capacity, shape.N, 1) || l.Buckets == 0:
		return fmt.Errorf("it has %d slots in %d buckets", l.Capacity, l.Buckets)
	case len(l.Regions) > kernels.MaxRegions || slices.ContainsFunc(l.Regions, func(r Region) bool { return r.Bytes < 0 }):
		return fmt.Errorf("it has the regions %+v: there are %d at most", l.Regions, kernels.MaxRegions)
	case shape.Bytes > 0 && uint64(l.Bytes()) > shape.Bytes:
		return fmt.Errorf("it takes %d bytes", l.Bytes())
	case c.Caps.HostMemory && !slices.ContainsFunc(l.Regions, func(r Region) bool { return r.Table }):
		return fmt.Errorf("it may lie in host memory, and none of its regions does")
	}
	return c.gaugesFit(l, shape.Pair)
}
