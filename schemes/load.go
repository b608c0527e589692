package schemes

import (
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/number"
)

// LoadParam is a setting that every scheme takes: the load factor of its tables, instead of the script's. So one run
// can compare schemes at different loads.
const LoadParam = "load"

func (c Config) withLoad(text string) (Config, error) {
	x, ok := number.Parse(text)
	if !ok || !(x > 0 && x <= 1) {
		return c, fmt.Errorf("scheme %s: load is %q: it takes a number above 0, up to 1", c.Name, text)
	}
	return c.AtLoad(x), nil
}

// AtLoad returns the configuration with its own load factor; 0: that of the shape.
func (c Config) AtLoad(load float64) Config {
	c.Load = load
	return c
}

// ErrNoLoad is the error of a load factor for tables whose size does not depend on one.
var ErrNoLoad = errors.New("the table is sized by its slots or bytes, not by n and a load factor")

// Shaped returns a shape with the configuration's own load factor, if it has one.
func (c Config) Shaped(s Shape) (Shape, error) {
	if c.Load == 0 {
		return s, nil
	}
	if s.N == 0 {
		return s, fmt.Errorf("scheme %s: %w", c, ErrNoLoad)
	}
	s.Load = c.Load
	return s, nil
}
