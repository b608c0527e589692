package check

import (
	"strconv"

	"github.com/hashzoo/hashzoo/schemes"
)

// climber is a configuration that climbs the ladder, with pairs of one width.
type climber struct {
	config schemes.Config
	pair   schemes.Pair
}

// climbers are the configurations of a scheme that must be checked: every compiled
// variant with every pair width and hash family, and every other choice that the
// scheme declares, one at a time. A quick check has other hash families and choices
// with the default variant only.
func climbers(s *schemes.Scheme, quick bool) []climber {
	var list []climber
	for _, variant := range s.Variants() {
		usual := variant.String() == s.Defaults().String()
		for _, pair := range s.Caps.Pairs {
			list = append(list, climber{variant, pair})
		}
		if quick && !usual {
			continue
		}
		for _, p := range s.Params {
			pairs := s.Caps.Pairs[:1]
			if p.Role == schemes.HashFamily && !quick {
				pairs = s.Caps.Pairs
			}
			for _, c := range others(variant, p) {
				for _, pair := range pairs {
					list = append(list, climber{c, pair})
				}
			}
		}
	}
	return list
}

// others are the configurations that differ from c in the choice of one parameter.
func others(c schemes.Config, p schemes.Param) []schemes.Config {
	var list []schemes.Config
	for _, text := range choices(p) {
		if text == p.Text(p.Default) {
			continue
		}
		other, err := c.With(p.Name, text)
		if err != nil {
			panic(err) // the choice is the parameter's own
		}
		list = append(list, other)
	}
	return list
}

// choices are the values of a parameter that stand for different behaviour:
// words, listed values, and numbers of hash functions. Variants are listed by the
// scheme; of a plain range, such as a limit, no single value is special.
func choices(p schemes.Param) []string {
	switch {
	case p.Role == schemes.Variant:
		return nil
	case p.Words != nil:
		return p.Words
	case p.Role == schemes.HashCount && p.Values == nil:
		var list []string
		for v := p.Min; v <= p.Max; v++ {
			list = append(list, strconv.FormatInt(v, 10))
		}
		return list
	}
	var list []string
	for _, v := range p.Values {
		list = append(list, p.Text(v))
	}
	return list
}

// families are a configuration with each hash family that its scheme has.
func families(c schemes.Config) []schemes.Config {
	list := []schemes.Config{c}
	for _, p := range c.Params {
		if p.Role == schemes.HashFamily {
			list = append(list, others(c, p)...)
		}
	}
	return list
}
