package engine

import (
	"slices"
	"strings"
	"testing"
)

// did is one operation of a launch that has several kinds.
type did struct {
	op         string
	key, value uint64 // the value that was given to it
	outcome    string
	gave       uint64   // by find, find_all or erase_all
	found      []uint64 // by find_all
}

// launch is what operations did that ran in one launch.
func launch(list ...did) answers {
	a := told("", nil, nil)
	for i, d := range list {
		a.keys, a.values, a.ops = append(a.keys, d.key), append(a.values, d.value), append(a.ops, byte(opCode(d.op)))
		a.outcomes, a.out = append(a.outcomes, outcomeNumber(d.outcome)), append(a.out, a.pair.NoValue())
		if d.outcome == "ok" && slices.Contains([]string{"find", "find_all", "erase_all"}, d.op) {
			a.out[i] = d.gave
		}
		for _, v := range d.found {
			a.foundOf, a.foundValues = append(a.foundOf, uint64(i)), append(a.foundValues, v)
		}
		if d.outcome == "failed" {
			a.leftKeys, a.leftValues = append(a.leftKeys, d.key), append(a.leftValues, d.value)
		}
	}
	a.recount()
	return a
}

func opsOf(a answers) []string {
	var ops []string
	for _, op := range slices.Compact(slices.Sorted(slices.Values(a.ops))) {
		ops = append(ops, opName(op))
	}
	return ops
}

func ins(key, value uint64) did { return did{op: "insert", key: key, value: value, outcome: "ok"} }
func ups(key, value uint64, outcome string) did {
	return did{op: "upsert", key: key, value: value, outcome: outcome}
}
func upd(key, value uint64, outcome string) did {
	return did{op: "update", key: key, value: value, outcome: outcome}
}
func ers(key uint64, outcome string) did { return did{op: "erase", key: key, outcome: outcome} }
func got(key, value uint64) did          { return did{op: "find", key: key, outcome: "ok", gave: value} }
func missed(key uint64) did              { return did{op: "find", key: key, outcome: "missing"} }
func all(key uint64, values ...uint64) did {
	return did{"find_all", key, 0, "ok", uint64(len(values)), values}
}
func erasedAll(key, n uint64) did { return did{op: "erase_all", key: key, outcome: "ok", gave: n} }
func com(op string, key, value uint64, outcome string) did {
	return did{op: op, key: key, value: value, outcome: outcome}
}
func noRoom(op string, key, value uint64) did {
	return did{op: op, key: key, value: value, outcome: "failed"}
}

// Results of mixed launches that some order explains.
func TestOracleBelievesMixedLaunches(t *testing.T) {
	for what, c := range map[string]struct {
		of   *oracle
		a    answers
		then map[uint64]multiple
	}{
		"a find before an insert":          {oracleOf123(), launch(ins(7, 70), missed(7)), map[uint64]multiple{7: one(70)}},
		"a find after it":                  {oracleOf123(), launch(got(7, 70), ins(7, 70)), map[uint64]multiple{7: one(70)}},
		"an insert, then an erase":         {oracleOf123(), launch(ers(7, "ok"), got(7, 70), ins(7, 70), missed(7)), map[uint64]multiple{7: {}}},
		"an erase too early":               {oracleOf123(), launch(ers(7, "missing"), ins(7, 70)), map[uint64]multiple{7: one(70)}},
		"erased, and in again":             {oracleOf123(), launch(ers(1, "ok"), ins(1, 11), got(1, 10), got(1, 11)), map[uint64]multiple{1: one(10, 11)}},
		"two erases, two inserts":          {oracleOf123(), launch(ers(1, "ok"), ers(1, "ok"), ins(1, 11)), map[uint64]multiple{1: {}}},
		"upserts of a new key":             {oracleOf123(), launch(ups(7, 70, "replaced"), ups(7, 71, "ok"), missed(7)), map[uint64]multiple{7: one(70, 71)}},
		"upserts around an erase":          {oracleOf123(), launch(ups(1, 11, "ok"), ers(1, "ok"), ups(1, 12, "replaced")), map[uint64]multiple{1: one(10, 11, 12)}},
		"an update that is seen or not":    {oracleOf123(), launch(upd(1, 11, "ok"), got(1, 10), got(1, 11)), map[uint64]multiple{1: one(11)}},
		"no room":                          {oracleOf123(), launch(noRoom("insert", 7, 70), missed(7), ups(8, 80, "ok")), map[uint64]multiple{7: {}, 8: one(80)}},
		"no room after an erase":           {oracleOf123(), launch(ers(1, "ok"), noRoom("upsert", 1, 11)), map[uint64]multiple{1: {}}},
		"a reserved key":                   {oracleOf123(), launch(did{op: "insert", key: emptyKey, outcome: "rejected"}, got(1, 10)), map[uint64]multiple{1: one(10)}},
		"one that is of another launch":    {oracleOf123(), launch(did{op: "insert", key: 1, outcome: elsewhere}, got(1, 10), ers(9, "missing")), map[uint64]multiple{1: one(10)}},
		"find_all between two inserts":     {oracleOfTwice(), launch(ins(1, 12), all(1, 10, 11), all(1, 12, 10, 11), ins(1, 13)), map[uint64]multiple{1: {n: 4, values: []uint64{10, 11, 12, 13}}}},
		"erase_all of some":                {oracleOfTwice(), launch(ins(1, 12), erasedAll(1, 2)), map[uint64]multiple{1: one(10, 11, 12)}},
		"sums":                             {oracleOf123(), launch(com("add", 1, 5, "replaced"), com("tally", 1, 99, "replaced"), got(1, 15), got(1, 16), got(1, 11)), map[uint64]multiple{1: one(16)}},
		"a sum that wraps":                 {oracleOf123(), launch(com("add", 1, 0xffffffff, "replaced"), missed(9)), map[uint64]multiple{1: one(9)}},
		"a sum that begins with an insert": {oracleOf123(), launch(com("add", 7, 5, "replaced"), missed(7), ins(7, 70), got(7, 70)), map[uint64]multiple{7: one(75)}},
		"a sum that nobody began":          {oracleOf123(), launch(com("tally", 7, 0, "replaced"), com("tally", 7, 0, "ok"), got(7, 1)), map[uint64]multiple{7: one(2)}},
		"the least and the most":           {oracleOf123(), launch(com("min", 1, 5, "replaced"), com("max", 2, 5, "replaced"), got(1, 5)), map[uint64]multiple{1: one(5), 2: one(20)}},
		"kinds that do not commute":        {oracleOf123(), launch(com("min", 1, 5, "replaced"), com("add", 1, 3, "replaced"), got(1, 8)), map[uint64]multiple{1: one(5, 8)}},
		"sums over an update":              {oracleOf123(), launch(com("add", 1, 5, "replaced"), upd(1, 40, "ok"), got(1, 15)), map[uint64]multiple{1: one(40, 45)}},
		"sums around an erase":             {oracleOf123(), launch(com("add", 1, 5, "replaced"), ers(1, "ok"), com("add", 1, 7, "ok"), got(1, 12)), map[uint64]multiple{1: one(7, 10, 12, 15)}},
		"a sum of one of two":              {oracleOfTwice(), launch(com("add", 1, 1, "replaced"), all(1, 11, 11)), map[uint64]multiple{1: {n: 2, values: []uint64{10, 11, 11, 12}}}},
		"no room for a tally":              {oracleOf123(), launch(com("tally", 7, 5, "failed"), missed(7)).left([]uint64{7}, []uint64{1}), map[uint64]multiple{7: {}}},
		"erase_all of all, and an insert":  {oracleOfTwice(), launch(ins(1, 12), erasedAll(1, 3), missed(1)), map[uint64]multiple{1: {}}},
	} {
		if err := c.of.apply(append(opsOf(c.a), "find"), &c.a); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		c.of.is(t, what, c.then)
	}
}

// Results that no order explains.
func TestOracleCatchesLiesOfMixedLaunches(t *testing.T) {
	for _, c := range []struct {
		lie  string
		of   *oracle
		a    answers
		want string
	}{
		{"a key twice", oracleOf123(), launch(ins(7, 70), ins(7, 71)), "it is there more than once"},
		{"a key that is there once more", oracleOf123(), launch(ups(1, 11, "ok"), got(1, 10)), "it is there more than once"},
		{"two erases of one pair", oracleOf123(), launch(ers(1, "ok"), ers(1, "ok"), missed(1)), "there were 1 pairs, 0 came in, and 2 went out"},
		{"erased from nothing", oracleOf123(), launch(ers(9, "ok"), missed(9)), "went out"},
		{"a pair missed", oracleOf123(), launch(missed(1), upd(1, 11, "ok")), "find missed it, and of 1 pairs that were there all the time 0 went out"},
		{"a pair not erased", oracleOf123(), launch(ers(1, "missing"), got(1, 10)), "erase missed it"},
		{"a pair not updated", oracleOf123(), launch(upd(1, 11, "missing"), got(1, 10)), "update missed it"},
		{"no room for a key that is there", oracleOf123(), launch(noRoom("upsert", 1, 11), got(1, 10)), "upsert missed it"},
		{"a pair from nowhere", oracleOf123(), launch(did{op: "find", key: 9, outcome: "ok", gave: 5}, ers(1, "ok")), "find found it, and it was never there"},
		{"another's value", oracleOf123(), launch(got(1, 20), ers(1, "ok")), "gave 0x14, which the key never had"},
		{"the value of an update that missed", oracleOf123(), launch(ers(1, "ok"), got(1, 11), upd(1, 11, "missing")), "gave 0xb, which the key never had"},
		{"two upserts that brought it in, and one way out", oracleOf123(), launch(ers(1, "ok"), ups(1, 11, "ok"), ups(1, 12, "ok")), "it is there more than once"},
		{"two upserts that brought it in, with duplicates", oracleOfTwice(), launch(ups(7, 70, "ok"), ups(7, 71, "ok"), missed(7)), "2 operations found it missing and added it"},
		{"fewer than there were", oracleOfTwice(), launch(all(1, 10), ins(2, 21)), "1 to 1 pairs were found, and 2 were there"},
		{"left behind by erase_all", oracleOfTwice(), launch(ins(1, 12), erasedAll(1, 1)), "erase_all missed it"},
		{"the value of an insert that failed", oracleOf123(), launch(got(7, 70), noRoom("insert", 7, 70)), "find found it, and it was never there"},
		{"replaced, and never there", oracleOf123(), launch(ups(9, 90, "replaced"), missed(9)), "found it, and it was never there"},
		{"updated, and never there", oracleOf123(), launch(upd(9, 90, "ok"), missed(9)), "found it, and it was never there"},
		{"handed back, and not failed", oracleOf123(), launch(ins(7, 70), missed(7)).left([]uint64{7}, []uint64{70}), "no operation with it failed"},
		{"more than there ever were", oracleOfTwice(), launch(all(1, 10, 11, 12, 13), ins(1, 12)), "4 to 4 pairs were found"},
		{"one of them twice", oracleOfTwice(), launch(all(1, 10, 11, 10, 11), ins(1, 12)), "4 to 4 pairs were found, and 2 were there, 1 came in"},
		{"erased once too often", oracleOfTwice(), launch(erasedAll(1, 2), ers(1, "ok")), "there were 2 pairs, 0 came in, and 3 went out"},
		{"missed while two were there", oracleOfTwice(), launch(missed(1), ers(1, "ok")), "of 2 pairs that were there all the time 1 went out"},
		{"no sum of some of them", oracleOf123(), launch(com("add", 1, 5, "replaced"), com("add", 1, 3, "replaced"), got(1, 14)), "gave 0xe, which the key never had"},
		{"a sum of a key that is not there", oracleOf123(), launch(com("add", 9, 5, "replaced"), missed(9)), "found it, and it was never there"},
		{"brought in twice", oracleOf123(), launch(com("add", 7, 5, "ok"), com("min", 7, 5, "ok")), "it is there more than once"},
		{"another's value handed back", oracleOf123(), launch(com("tally", 7, 5, "failed"), missed(7)).left([]uint64{7}, []uint64{5}), "no operation with it failed"},
		{"a counter too low", oracleOf123(), func() answers { a := launch(ins(7, 70), missed(9)); a.counts.Set("added", 0); return a }(), "0 counted as added"},
		{"an outcome that no erase has", oracleOf123(), launch(ers(1, "replaced"), got(1, 10)), "outcome replaced"},
	} {
		err := c.of.apply(append(opsOf(c.a), "find"), &c.a)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.lie, err, c.want)
		}
	}
}
