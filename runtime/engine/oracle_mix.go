package engine

import (
	"fmt"
	"slices"
)

// Operations that share a launch are carried out in any order, so a key that several
// of them name may have gone through any of many histories. What is checked is what
// holds in all of them, by counting: pairs come in and go out, a value that was found
// was put in by someone, a key that was missed was away at some time. The tests of
// small histories (workloads/check) decide exactly whether there is an order.

// history is what a launch did to one key.
type history struct {
	before  multiple
	added   int      // pairs that came in
	removed int      // pairs that went out
	written []uint64 // values that may have been written
	absent  string   // an operation that did not find the key
	present string   // one that did, other than by bringing it in
	largest int      // the most pairs that anyone saw
}

// mixed applies a launch of several kinds of operations.
func (o *oracle) mixed(a answers) error {
	keys := map[uint64]*history{}
	err := a.each(func(i int, key uint64) error {
		h := keys[key]
		if h == nil {
			h = &history{before: o.get(key)}
			keys[key] = h
		}
		h.note(a, i)
		return nil
	})
	if err != nil {
		return err
	}
	if err := o.failedUpserts(a); err != nil {
		return err
	}
	if err := a.foundLegally(keys); err != nil {
		return err
	}
	for key, h := range keys {
		if err := h.legal(o.duplicates); err != nil {
			return fmt.Errorf("key %#x: %w", key, err)
		}
		o.set(key, h.after())
	}
	return nil
}

// note adds operation i to the history of its key.
func (h *history) note(a answers, i int) {
	op, outcome := a.ops[i], a.outcomes[i]
	switch {
	case outcome == "failed":
		if op == "upsert" { // of a key that is there, it needs no room
			h.absent = op
		}
		return
	case outcome == "missing":
		h.absent = op
		return
	case outcome == "replaced" || op != "insert" && op != "upsert":
		h.present = op
	default:
		h.added++
	}
	switch op {
	case "insert", "upsert", "update":
		h.written = append(h.written, a.values[i])
	case "erase":
		h.removed++
	case "erase_all":
		h.removed += int(a.out[i])
	case "find_all":
		h.largest = max(h.largest, int(a.out[i]))
	}
}

// legal says why no order of the operations explains what they gave, as far as
// counting tells.
func (h *history) legal(duplicates bool) error {
	n := h.before.n
	switch left := n + h.added - h.removed; {
	case left < 0:
		return fmt.Errorf("there were %d pairs, %d came in, and %d went out", n, h.added, h.removed)
	case left > 1 && !duplicates:
		return fmt.Errorf("there were %d pairs, %d came in, %d went out: it is there more than once", n, h.added, h.removed)
	case h.absent != "" && h.removed < n:
		return fmt.Errorf("%s missed it, and it was there all the time", h.absent)
	case h.present != "" && n+h.added == 0:
		return fmt.Errorf("%s found it, and it was never there", h.present)
	case h.largest > n+h.added:
		return fmt.Errorf("find_all found %d pairs, and there were never more than %d", h.largest, n+h.added)
	}
	return nil
}

// after is what is known of the key when the launch is over.
func (h *history) after() multiple {
	m := multiple{h.before.n + h.added - h.removed, slices.Concat(h.before.values, h.written)}
	if h.removed == 0 && len(m.values) > m.n && m.n == 1 && h.before.n == 1 && len(h.written) > 0 {
		m.values = h.written // it was there all the time, and was written
	}
	return m
}

// foundLegally checks that every value that was found is one that the key had.
func (a answers) foundLegally(keys map[uint64]*history) error {
	check := func(i int, value uint64) error {
		h := keys[a.keys[i]]
		if slices.Contains(h.before.values, value) || slices.Contains(h.written, value) {
			return nil
		}
		return wrong(a.ops[i], i, a.keys[i], "gave %#x, which the key never had", value)
	}
	for of, value := range a.foundValues {
		if err := check(int(a.foundOf[of]), value); err != nil {
			return err
		}
	}
	return a.each(func(i int, _ uint64) error {
		if a.ops[i] != "find" || a.outcomes[i] != "ok" {
			return nil
		}
		return check(i, a.out[i])
	})
}
