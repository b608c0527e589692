package check

import "github.com/hashzoo/hashzoo/schemes"

// climber is a configuration that climbs the ladder, with pairs of one width.
type climber struct {
	config schemes.Config
	pair   schemes.Pair
}

func (w climber) String() string { return w.config.String() + " " + w.pair.String() }

func (w climber) finding(part, what string) Finding {
	return Finding{Part: part, Scheme: w.config.Name, Config: w.config.String(), Pair: w.pair.String(), What: what}
}

// climbers are the configurations to check: every compiled variant with every pair width and hash family, and every
// other choice, one at a time. A quick check varies families and choices of the default variant only.
func climbers(s *schemes.Scheme, quick bool) []climber {
	var list []climber
	for _, variant := range s.Variants() {
		list = append(list, withPairs(variant, s.Caps.Pairs)...)
		if quick && variant.String() != s.Defaults().String() {
			continue
		}
		for _, p := range s.Params {
			pairs := s.Caps.Pairs[:1]
			if p.Role == schemes.HashFamily && !quick {
				pairs = s.Caps.Pairs
			}
			for _, c := range others(variant, p) {
				list = append(list, withPairs(c, pairs)...)
			}
		}
	}
	return list
}

func withPairs(c schemes.Config, pairs []schemes.Pair) []climber {
	var list []climber
	for _, pair := range pairs {
		list = append(list, climber{c, pair})
	}
	return list
}

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

// choices are the values of a parameter that stand for different behavior. Variants are listed by the scheme; no
// single value of a plain range, such as a limit, is special.
func choices(p schemes.Param) []string {
	if p.Role == schemes.Variant || p.Words == nil && p.Values == nil && p.Role != schemes.HashCount {
		return nil
	}
	var list []string
	for _, v := range p.All() {
		list = append(list, p.Text(v))
	}
	return list
}

// varied are a configuration, and those with another value of the parameters of one role.
func varied(c schemes.Config, role schemes.Role) []schemes.Config {
	list := []schemes.Config{c}
	for _, p := range c.Params {
		if p.Role == role {
			list = append(list, others(c, p)...)
		}
	}
	return list
}
