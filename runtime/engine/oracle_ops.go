package engine

import "fmt"

// What each operation does to the oracle's map, where a launch has no others.

// insert adds all pairs, then takes away those that were handed back. Which pair
// is handed back does not matter, but it must be one that was there.
func (o *oracle) insert(a answers) error {
	err := a.each(func(i int, key uint64) error {
		if o.has(key) && !o.duplicates && a.outcomes[i] != "failed" { // a scheme may refuse it
			return wrong("insert", i, key, "the key is inserted for the second time, which this scheme does not allow")
		}
		o.add(key, a.values[i])
		return nil
	})
	if err != nil {
		return err
	}
	return o.handedBack("insert", a)
}

func (o *oracle) add(key, value uint64) {
	if !o.has(key) {
		o.pairs[key] = value
		return
	}
	m := o.get(key)
	o.set(key, multiple{m.n + 1, append(m.values, value)})
}

// handedBack takes pairs away that found no room.
func (o *oracle) handedBack(op string, a answers) error {
	asked := uint64(0)
	if err := a.each(func(int, uint64) error { asked++; return nil }); err != nil {
		return err
	}
	failed, left := a.counts.Get("failed"), uint64(len(a.leftKeys))
	if failed != min(left, asked) {
		return fmt.Errorf("%s: %d of %d failed, and %d pairs were handed back", op, failed, asked, left)
	}
	for i, key := range a.leftKeys {
		if !o.matches(key, a.leftValues[i]) {
			return fmt.Errorf("%s: the pair %#x, %#x was handed back: it was never put in, or was handed back before",
				op, key, a.leftValues[i])
		}
		o.set(key, o.get(key).without(a.leftValues[i]))
	}
	return nil
}

// upsert: of several of one new key, one brings it in and the others replace its
// value; any of them may be the last. One that fails gives back what it came with.
func (o *oracle) upsert(a answers) error {
	before, written, fresh := map[uint64]multiple{}, map[uint64][]uint64{}, map[uint64]int{}
	err := a.each(func(i int, key uint64) error {
		if _, seen := before[key]; !seen {
			before[key] = o.get(key)
		}
		if a.outcomes[i] == "failed" {
			if before[key].n > 0 {
				return wrong("upsert", i, key, "it failed, and the key is there")
			}
			return nil
		}
		written[key] = append(written[key], a.values[i])
		if a.outcomes[i] == "ok" {
			fresh[key]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for key, values := range written {
		there := before[key].n
		if want := min(1, max(0, 1-there)); fresh[key] != want {
			return fmt.Errorf("upsert of key %#x, which was there %d times: %d of %d brought it in instead of %d",
				key, there, fresh[key], len(values), want)
		}
		if there > 1 { // one of its pairs has another value now, and nobody knows which
			values = append(values, before[key].values...)
		}
		o.set(key, multiple{max(1, there), values})
	}
	return o.failedUpserts(a)
}

// failedUpserts checks that the pairs handed back are those of the upserts that failed.
func (o *oracle) failedUpserts(a answers) error {
	type pair struct{ key, value uint64 }
	waiting := map[pair]int{}
	failed := 0
	err := a.each(func(i int, key uint64) error {
		if a.outcomes[i] == "failed" {
			waiting[pair{key, a.values[i]}]++
			failed++
		}
		return nil
	})
	for i, key := range a.leftKeys {
		p := pair{key, a.leftValues[i]}
		if waiting[p]--; waiting[p] < 0 {
			return fmt.Errorf("the pair %#x, %#x was handed back, and no operation with it failed", p.key, p.value)
		}
	}
	if err == nil && failed != len(a.leftKeys) {
		err = fmt.Errorf("%d operations failed, and %d pairs were handed back", failed, len(a.leftKeys))
	}
	return err
}

func (o *oracle) find(a answers) error {
	return a.each(func(i int, key uint64) error {
		there := o.has(key)
		switch {
		case there != (a.outcomes[i] == "ok"):
			return wrong("find", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		case there && !o.matches(key, a.out[i]):
			return wrong("find", i, key, "gave %#x instead of one of %#x", a.out[i], o.get(key).values)
		}
		return nil
	})
}

// findAll gives how many pairs a key has, and the value of each.
func (o *oracle) findAll(a answers) error {
	given := a.given()
	return a.each(func(i int, key uint64) error {
		m := o.get(key)
		if there := m.n > 0; there != (a.outcomes[i] == "ok") || there && a.out[i] != uint64(m.n) {
			return wrong("find_all", i, key, "outcome %s, %#x pairs, and %d are there", a.outcomes[i], a.out[i], m.n)
		}
		return o.learn(key, given[i])
	})
}

// update: of several updates of one key, any may be the last.
func (o *oracle) update(a answers) error {
	written := map[uint64][]uint64{}
	err := a.each(func(i int, key uint64) error {
		if there := o.has(key); there != (a.outcomes[i] == "ok") {
			return wrong("update", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		} else if there {
			written[key] = append(written[key], a.values[i])
		}
		return nil
	})
	for key, values := range written {
		m := o.get(key)
		if m.n > 1 {
			values = append(values, m.values...)
		}
		o.set(key, multiple{m.n, values})
	}
	return err
}

// erase: of several erases of one key, as many succeed as it has pairs.
func (o *oracle) erase(a answers) error {
	asked, done := map[uint64]int{}, map[uint64]int{}
	err := a.each(func(i int, key uint64) error {
		asked[key]++
		if a.outcomes[i] == "ok" {
			done[key]++
		}
		return nil
	})
	for key, times := range asked {
		m := o.get(key)
		if want := min(times, m.n); done[key] != want {
			return fmt.Errorf("erase of key %#x: succeeded %d times instead of %d", key, done[key], want)
		}
		m.n -= done[key]
		o.set(key, m)
	}
	return err
}

// eraseAll: all that erase a key take its pairs between them.
func (o *oracle) eraseAll(a answers) error {
	taken := map[uint64]uint64{}
	err := a.each(func(i int, key uint64) error {
		if a.outcomes[i] == "ok" {
			taken[key] += a.out[i]
		} else {
			taken[key] += 0
		}
		return nil
	})
	for key, n := range taken {
		if m := o.get(key); n != uint64(m.n) {
			return fmt.Errorf("erase_all of key %#x: took %d pairs instead of %d", key, n, m.n)
		}
		o.forget(key)
	}
	return err
}
