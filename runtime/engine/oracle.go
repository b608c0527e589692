package engine

import "fmt"

// oracle is what a table must hold: a Go map, which shares nothing with the
// kernels. Where the outcome of a batch legitimately depends on the order in
// which its operations were carried out (two updates of one key), the oracle
// keeps every value that may have won, until the table shows which.
type oracle struct {
	pairs    map[uint64]uint64
	possible map[uint64][]uint64 // keys with more than one possible value
}

func newOracle() *oracle {
	return &oracle{pairs: map[uint64]uint64{}, possible: map[uint64][]uint64{}}
}

// answers are the keys of one batch with what the table did about each.
type answers struct {
	keys, values []uint64 // input
	outcomes     []string // one of kernels.Outcomes; none: took no part
	out          []uint64 // what finds gave
	left         map[uint64]uint64
	leftPairs    uint64
	failed       uint64
	reserved     uint64 // keys from here on are reserved
}

// apply carries out the batch on the map and compares.
func (o *oracle) apply(op string, a answers) error {
	carryOut := map[string]func(answers) error{"insert": o.insert, "find": o.find, "update": o.update, "erase": o.erase}[op]
	if carryOut == nil {
		return fmt.Errorf("the oracle has no operation %s", op)
	}
	for i, key := range a.keys {
		if (key >= a.reserved) != (a.outcomes[i] == "rejected") && a.outcomes[i] != "none" {
			return wrong(op, i, key, "outcome %s, and reserved keys start at %#x", a.outcomes[i], a.reserved)
		}
	}
	return carryOut(a)
}

// each calls f for the operations that took part with a key that is allowed.
func (a answers) each(f func(i int, key uint64) error) error {
	for i, key := range a.keys {
		if a.outcomes[i] == "none" || a.outcomes[i] == "rejected" {
			continue
		}
		if err := f(i, key); err != nil {
			return err
		}
	}
	return nil
}

// insert adds all pairs, then takes away those that were handed back. Which pair
// is handed back does not matter, but it must be one that was there.
func (o *oracle) insert(a answers) error {
	err := a.each(func(i int, key uint64) error {
		if _, there := o.pairs[key]; there {
			return wrong("insert", i, key, "the key is inserted for the second time, which this scheme does not allow")
		}
		o.pairs[key] = a.values[i]
		return nil
	})
	if err != nil {
		return err
	}
	if a.failed != a.leftPairs || uint64(len(a.left)) != a.leftPairs {
		return fmt.Errorf("insert: %d failed, %d pairs were handed back, %d of them different", a.failed, a.leftPairs, len(a.left))
	}
	for key, value := range a.left {
		if !o.matches(key, value) {
			return fmt.Errorf("insert: the pair %#x, %#x was handed back, and was never put in", key, value)
		}
		o.forget(key)
	}
	return nil
}

func (o *oracle) find(a answers) error {
	return a.each(func(i int, key uint64) error {
		_, there := o.pairs[key]
		switch {
		case there != (a.outcomes[i] == "ok"):
			return wrong("find", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		case there && !o.matches(key, a.out[i]):
			return wrong("find", i, key, "gave %#x instead of %#x", a.out[i], o.pairs[key])
		}
		return nil
	})
}

func (o *oracle) update(a answers) error {
	written := map[uint64][]uint64{}
	err := a.each(func(i int, key uint64) error {
		if _, there := o.pairs[key]; there != (a.outcomes[i] == "ok") {
			return wrong("update", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		} else if there {
			written[key] = append(written[key], a.values[i])
		}
		return nil
	})
	for key, values := range written {
		o.forget(key)
		o.pairs[key] = values[0]
		if len(values) > 1 {
			o.possible[key] = values
		}
	}
	return err
}

// erase: of several erases of one key, exactly one may succeed.
func (o *oracle) erase(a answers) error {
	asked, done := map[uint64]bool{}, map[uint64]int{}
	err := a.each(func(i int, key uint64) error {
		asked[key] = true
		if a.outcomes[i] == "ok" {
			done[key]++
		}
		return nil
	})
	for key := range asked {
		want := 0
		if _, there := o.pairs[key]; there {
			want = 1
		}
		if done[key] != want {
			return fmt.Errorf("erase of key %#x: succeeded %d times instead of %d", key, done[key], want)
		}
		o.forget(key)
	}
	return err
}

// matches says whether a key may have this value, and remembers that it has.
func (o *oracle) matches(key, value uint64) bool {
	for _, candidate := range o.possible[key] {
		if candidate == value {
			o.pairs[key] = value
			delete(o.possible, key)
			return true
		}
	}
	have, there := o.pairs[key]
	return there && have == value && o.possible[key] == nil
}

func (o *oracle) forget(key uint64) {
	delete(o.pairs, key)
	delete(o.possible, key)
}

// holds compares the contents of a table with the map.
func (o *oracle) holds(keys, values []uint64) error {
	if len(keys) != len(o.pairs) {
		return fmt.Errorf("the table holds %d pairs instead of %d", len(keys), len(o.pairs))
	}
	seen := make(map[uint64]bool, len(keys))
	for i, key := range keys {
		if seen[key] {
			return fmt.Errorf("the table holds key %#x twice", key)
		}
		seen[key] = true
		if !o.matches(key, values[i]) {
			return fmt.Errorf("the table holds the pair %#x, %#x, which was never put in", key, values[i])
		}
	}
	return nil
}

func wrong(op string, i int, key uint64, format string, args ...any) error {
	return fmt.Errorf("%s %d, key %#x: %s", op, i, key, fmt.Sprintf(format, args...))
}
