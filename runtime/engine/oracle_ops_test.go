package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// oracleOfTwice has key 1 twice, with the values 10 and 11, and key 2 once.
func oracleOfTwice() *oracle {
	o := newOracle(true, false)
	o.of(1).set(1, multiple{n: 2, values: []uint64{10, 11}})
	o.of(2).set(2, one(20))
	return o
}

// gives says what find_all or erase_all gave as operation i: how many, and which values.
func (a answers) gives(i int, n uint64, values ...uint64) answers {
	a.out[i] = n
	for _, v := range values {
		a.foundOf, a.foundValues = append(a.foundOf, uint64(i)), append(a.foundValues, v)
	}
	a.recount()
	return a
}

// left says which pairs were handed back.
func (a answers) left(keys, values []uint64) answers {
	a.leftKeys, a.leftValues = keys, values
	a.recount()
	return a
}

// is compares what the oracle knows of single keys.
func (o *oracle) is(t *testing.T, what string, want map[uint64]multiple) {
	t.Helper()
	for key, m := range want {
		have := o.of(key).get(key)
		slices.Sort(have.values)
		if have.n != m.n || !slices.Equal(have.values, m.values) {
			t.Errorf("%s: key %d is there %d times with one of %v, want %d and %v", what, key, have.n, have.values, m.n, m.values)
		}
	}
}

func one(values ...uint64) multiple { return multiple{n: 1, values: values} }

// The truth passes: otherwise the lies below would prove nothing.
func TestOracleBelievesTheTruth(t *testing.T) {
	sevens := []uint64{7, 7, 7}
	for what, c := range map[string]struct {
		of   *oracle
		op   string
		a    answers
		then map[uint64]multiple
	}{
		"insert": {oracleOf123(), "insert", told("insert", []uint64{7, emptyKey}, []uint64{70, 1}, "ok", "rejected"), map[uint64]multiple{1: one(10), 7: one(70)}},
		"insert that hands back another pair": {oracleOf123(), "insert", told("insert", []uint64{7, 8}, []uint64{70, 80}, "ok", "failed").left([]uint64{2}, []uint64{20}),
			map[uint64]multiple{1: one(10), 2: {}, 7: one(70), 8: one(80)}},
		"insert of another launch": {oracleOf123(), "insert", told("insert", []uint64{1, 7}, []uint64{0, 70}, elsewhere, "ok"), map[uint64]multiple{1: one(10), 7: one(70)}},
		"find":                     {oracleOf123(), "find", told("find", []uint64{1, 9, 1, erasedKey}, nil, "ok", "missing", "ok", "rejected"), map[uint64]multiple{1: one(10), 9: {}}},
		"update":                   {oracleOf123(), "update", told("update", []uint64{1, 9}, []uint64{11, 99}, "ok", "missing"), map[uint64]multiple{1: one(11), 9: {}}},
		"erase":                    {oracleOf123(), "erase", told("erase", []uint64{1, 9, 1}, nil, "missing", "missing", "ok"), map[uint64]multiple{1: {}, 2: one(20)}},
		"upsert": {oracleOf123(), "upsert", told("upsert", []uint64{7, 1, emptyKey}, []uint64{70, 11, 0}, "ok", "replaced", "rejected"),
			map[uint64]multiple{7: one(70), 1: one(11), 2: one(20)}},
		"upserts of one new key": {oracleOf123(), "upsert", told("upsert", sevens, []uint64{70, 71, 72}, "replaced", "ok", "replaced"),
			map[uint64]multiple{7: one(70, 71, 72)}},
		"upserts without room": {oracleOf123(), "upsert",
			told("upsert", []uint64{7, 8, 1}, []uint64{70, 80, 11}, "failed", "ok", "replaced").left([]uint64{7}, []uint64{70}),
			map[uint64]multiple{7: {}, 8: one(80), 1: one(11)}},
		"upsert of a key that is there twice": {oracleOfTwice(), "upsert", told("upsert", []uint64{1}, []uint64{12}, "replaced"),
			map[uint64]multiple{1: {n: 2, values: []uint64{10, 11, 12}}}},
		"a second pair of a key": {oracleOfTwice(), "insert", told("insert", []uint64{2}, []uint64{20}, "ok"),
			map[uint64]multiple{2: {n: 2, values: []uint64{20, 20}}}},
		"a second pair that found no room": {oracleOfTwice(), "insert",
			told("insert", []uint64{2}, []uint64{21}, "failed").left([]uint64{2}, []uint64{20}),
			map[uint64]multiple{2: one(21)}},
		"find of a key that is there twice": {oracleOfTwice(), "find", told("find", []uint64{1, 1}, nil, "ok", "ok").gives(0, 11).gives(1, 10),
			map[uint64]multiple{1: {n: 2, values: []uint64{10, 11}}}},
		"find_all": {oracleOfTwice(), "find_all",
			told("find_all", []uint64{1, 9, 2, 1}, nil, "ok", "missing", "ok", "ok").gives(0, 2, 11, 10).gives(2, 1, 20).gives(3, 2, 10, 11),
			map[uint64]multiple{1: {n: 2, values: []uint64{10, 11}}, 2: one(20)}},
		"find_all with more values than room": {oracleOfTwice(), "find_all", told("find_all", []uint64{1}, nil, "ok").gives(0, 2, 11),
			map[uint64]multiple{1: {n: 2, values: []uint64{10, 11}}}},
		"erase takes one of two": {oracleOfTwice(), "erase", told("erase", []uint64{1}, nil, "ok"),
			map[uint64]multiple{1: one(10, 11)}},
		"erase takes both": {oracleOfTwice(), "erase", told("erase", []uint64{1, 1, 1}, nil, "ok", "missing", "ok"),
			map[uint64]multiple{1: {}, 2: one(20)}},
		"erase_all": {oracleOfTwice(), "erase_all", told("erase_all", []uint64{1, 9}, nil, "ok", "missing").gives(0, 2),
			map[uint64]multiple{1: {}, 2: one(20)}},
		"erase_all by several": {oracleOfTwice(), "erase_all",
			told("erase_all", []uint64{1, 1, 1}, nil, "ok", "missing", "ok").gives(0, 1).gives(2, 1), map[uint64]multiple{1: {}}},
		"update of one of two": {oracleOfTwice(), "update", told("update", []uint64{1}, []uint64{12}, "ok"),
			map[uint64]multiple{1: {n: 2, values: []uint64{10, 11, 12}}}},
	} {
		err := c.of.apply([]string{c.op}, &c.a)
		must.Hold(t, err == nil, "%s: %v", what, err)
		c.of.is(t, what, c.then)
	}
}

func TestOracleCatchesLiesOfFurtherOperations(t *testing.T) {
	seven := []uint64{7, 7}
	values := []uint64{70, 71}
	findAll := func() answers { return told("find_all", []uint64{1, 9}, nil, "ok", "missing").gives(0, 2, 10, 11) }
	for _, c := range []struct {
		lie  string
		of   *oracle
		a    answers
		want string
	}{
		{"nobody brought a key in", oracleOf123(), told("upsert", seven, values, "replaced", "replaced"), "upsert found it, and it was never there"},
		{"two brought one key in", oracleOf123(), told("upsert", seven, values, "ok", "ok"), "it is there more than once"},
		{"a key that is there came in", oracleOf123(), told("upsert", []uint64{1}, values[:1], "ok"), "it is there more than once"},
		{"no room for a key that is there", oracleOf123(), told("upsert", []uint64{1}, []uint64{9}, "failed").left([]uint64{1}, []uint64{9}),
			"upsert missed it"},
		{"another pair handed back", oracleOf123(), told("upsert", []uint64{7, 8}, []uint64{70, 80}, "failed", "ok").left([]uint64{8}, []uint64{80}),
			"no operation with it failed"},
		{"nothing handed back", oracleOf123(), told("upsert", []uint64{7}, []uint64{70}, "failed"), "1 operations failed, and 0 pairs"},
		{"handed back twice", oracleOf123(), told("upsert", []uint64{7}, []uint64{70}, "failed").left([]uint64{7, 7}, []uint64{70, 70}),
			"no operation with it failed"},
		{"a put refused for a key that is there", oracleOf123(), told("put", []uint64{1}, []uint64{9}, "failed").left([]uint64{1}, []uint64{9}),
			"put missed it"},
		{"a put refused, and its pair there", oracleOf123(), told("put", []uint64{7, 7}, []uint64{70, 70}, "failed", "ok").left([]uint64{7, 1}, []uint64{70, 10}),
			"no operation with it failed"},
		{"a put refused, and another pair handed back", oracleOf123(), told("put", []uint64{7, 8}, []uint64{70, 80}, "failed", "evicted").
			left([]uint64{1, 2}, []uint64{10, 20}), "1 operations failed, and 0 pairs were handed back"},
		{"an upsert that misses", oracleOf123(), told("upsert", []uint64{7}, []uint64{70}, "missing"), "outcome missing"},
		{"one value of two", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 1, 10), "1 to 1 pairs were found, and 2 were there"},
		{"a value twice", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 2, 10, 10), "the value 0xa, which was never put in, or"},
		{"a key missed", oracleOfTwice(), told("find_all", []uint64{1}, nil, "missing"), "find_all missed it"},
		{"a key from nowhere", oracleOfTwice(), told("find_all", []uint64{9}, nil, "ok").gives(0, 1, 10), "find_all found it, and it was never there"},
		{"found, and nothing", oracleOfTwice(), told("find_all", []uint64{9}, nil, "ok").gives(0, 0), "about no pair"},
		{"a value for another operation", oracleOfTwice(), findAll().gives(1, 0xffffffff, 10), "given for operation 1, which found none"},
		{"a value for no operation", oracleOfTwice(), func() answers { a := findAll(); a.foundOf[1] = 2; return a }(), "given for operation 2"},
		{"fewer values than said", oracleOfTwice(), told("find_all", []uint64{1, 2}, nil, "ok", "ok").gives(0, 2, 10).gives(1, 1, 20, 11),
			"gave 1 values, and said 2"},
		{"in another order than the keys", oracleOfTwice(), told("retrieve", []uint64{2, 1}, nil, "ok", "ok").gives(1, 2, 10, 11).gives(0, 1, 20),
			"a value of operation 1 comes before one of operation 0"},
		{"erased once too often", oracleOfTwice(), told("erase", []uint64{1, 1, 1}, nil, "ok", "ok", "ok"), "there were 2 pairs, 0 came in, and 3 went out"},
		{"erased once too little", oracleOfTwice(), told("erase", []uint64{1, 1, 1}, nil, "ok", "missing", "missing"), "erase missed it"},
		{"one pair left", oracleOfTwice(), told("erase_all", []uint64{1}, nil, "ok").gives(0, 1), "erase_all missed it, and of 2 pairs that were there all the time 1 went out"},
		{"a pair taken twice", oracleOfTwice(), told("erase_all", []uint64{1, 1}, nil, "ok", "ok").gives(0, 2).gives(1, 1), "there were 2 pairs, 0 came in, and 3 went out"},
		{"erased, and nothing", oracleOfTwice(), told("erase_all", []uint64{9}, nil, "ok").gives(0, 0), "about no pair"},
		{"missing, and some", oracleOfTwice(), told("erase_all", []uint64{9}, nil, "missing").gives(0, 0), "outcome missing, and it gave 0x0"},
		{"an operation that the oracle does not know", oracleOf123(), told("guess", []uint64{1}, nil, elsewhere), "no operation number 255"},
	} {
		must.Say(t, c.of.apply([]string{opName(c.a.ops[0])}, &c.a), c.want, c.lie)
	}
}

func TestOracleCatchesFalseContentsWithDuplicates(t *testing.T) {
	for _, c := range []struct {
		lie          string
		keys, values []uint64
		want         string // nothing: it is the truth
	}{
		{"the truth", []uint64{1, 2, 1}, []uint64{11, 20, 10}, ""},
		{"one of two lost", []uint64{1, 2}, []uint64{10, 20}, "2 pairs instead of 3"},
		{"one of two twice", []uint64{1, 1, 2}, []uint64{10, 10, 20}, "the value 0xa, which was never put in, or"},
		{"another key twice", []uint64{1, 2, 2}, []uint64{10, 20, 20}, "key 0x2 2 times instead of 1"},
	} {
		must.Say(t, oracleOfTwice().holds(c.keys, c.values), c.want, c.lie)
	}
}

// A value of which one word is another's is none that anyone has put in.
func TestTornValuesAreNoticed(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		a, b := List{5}.bytes(width), List{6}.bytes(width)
		must.Hold(t, wideNumber(a) == 5 && wideNumber(b) == 6, "%d bytes: %d and %d, want 5 and 6", width, wideNumber(a), wideNumber(b))
		for word := range width / 8 {
			mixed := slices.Clone(a)
			copy(mixed[8*word:], b[8*word:8*word+8])
			must.Hold(t, wideNumber(mixed) == torn, "%d bytes with word %d of another: %#x", width, word, wideNumber(mixed))
		}
		none := slices.Repeat([]byte{255}, width)
		must.Hold(t, wideNumber(none) == ^uint64(0), "%d bytes of all ones: %#x", width, wideNumber(none))
	}
}

// The effects of an operation on a key's pairs follow from its columns, also for operations that do not exist yet. What those that exist
// do, histories show (workloads/check/history_test.go).
func TestEffectsFollowFromColumns(t *testing.T) {
	take := kernels.Operation{Name: "take", Kind: kernels.OnKeys, Answer: kernels.OneValue, Removes: kernels.RemovesOne}
	ok, replaced := Given{Outcome: "ok", Value: 2}, Given{Outcome: "replaced"}
	for _, c := range []struct {
		op     kernels.Operation
		values []uint64
		gave   Given
		want   string
	}{
		{kernels.Op("upsert"), []uint64{1}, ok, "[]"},
		{kernels.Op("add"), []uint64{1, 254}, replaced, "[[10 254] [1 7]]"},
		{kernels.Op("max"), []uint64{1}, ok, "[]"},
		{kernels.Op("find"), []uint64{1}, ok, "[]"},
		{kernels.Op("erase"), nil, ok, "[]"},
		{take, []uint64{1, 2}, ok, "[[1]]"},
		{take, []uint64{2}, ok, "[[]]"},
		{take, []uint64{1}, ok, "[]"},
	} {
		got := fmt.Sprint(effectOf(c.op).next(c.values, action{op: c.op.Name, value: 9, most: 255, Given: c.gave}))
		must.Hold(t, got == c.want, "%s of %v that is %s: %s, want %s", c.op.Name, c.values, c.gave.Outcome, got, c.want)
	}
}

// The possible values of a key are listed up to a bound.
func TestMixturesAreBounded(t *testing.T) {
	o, list := oracleOf123(), []did{got(1, 123)}
	for i := range uint64(40) {
		list = append(list, com("add", 1, 1<<(i%31), "replaced"))
	}
	list = append(list, ers(1, "ok"), com("add", 1, 1000, "ok"))
	a := launch(list...)
	err := o.apply(opsOf(a), &a)
	must.Hold(t, err == nil && o.of(1).get(1).any, "%v, and key 1 is known to be %v", err, o.of(1).get(1))
	must.OK(t, o.holds([]uint64{1, 2, 3}, []uint64{77, 20, 30}))
	must.Hold(t, !o.of(1).matches(1, 78), "key 1 may have another value than the table has shown")
}

// did is one operation of a launch that has several kinds.
type did struct {
	op         string
	key, value uint64 // the value that was given to it
	outcome    string
	gave       uint64   // by find, find_all or erase_all
	found      []uint64 // by find_all
}

// launch makes the answers of one launch from its operations.
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

func ins(key, value uint64) did          { return did{op: "insert", key: key, value: value, outcome: "ok"} }
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
		"upserts of a new key":             {oracleOf123(), launch(com("upsert", 7, 70, "replaced"), com("upsert", 7, 71, "ok"), missed(7)), map[uint64]multiple{7: one(70, 71)}},
		"upserts around an erase":          {oracleOf123(), launch(com("upsert", 1, 11, "ok"), ers(1, "ok"), com("upsert", 1, 12, "replaced")), map[uint64]multiple{1: one(10, 11, 12)}},
		"an update that is seen or not":    {oracleOf123(), launch(com("update", 1, 11, "ok"), got(1, 10), got(1, 11)), map[uint64]multiple{1: one(11)}},
		"no room":                          {oracleOf123(), launch(com("insert", 7, 70, "failed"), missed(7), com("upsert", 8, 80, "ok")), map[uint64]multiple{7: {}, 8: one(80)}},
		"no room after an erase":           {oracleOf123(), launch(ers(1, "ok"), com("upsert", 1, 11, "failed")), map[uint64]multiple{1: {}}},
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
		"sums over an update":              {oracleOf123(), launch(com("add", 1, 5, "replaced"), com("update", 1, 40, "ok"), got(1, 15)), map[uint64]multiple{1: one(40, 45)}},
		"sums around an erase":             {oracleOf123(), launch(com("add", 1, 5, "replaced"), ers(1, "ok"), com("add", 1, 7, "ok"), got(1, 12)), map[uint64]multiple{1: one(7, 10, 12, 15)}},
		"a sum of one of two":              {oracleOfTwice(), launch(com("add", 1, 1, "replaced"), all(1, 11, 11)), map[uint64]multiple{1: {n: 2, values: []uint64{10, 11, 11, 12}}}},
		"no room for a tally":              {oracleOf123(), launch(com("tally", 7, 5, "failed"), missed(7)).left([]uint64{7}, []uint64{1}), map[uint64]multiple{7: {}}},
		"erase_all of all, and an insert":  {oracleOfTwice(), launch(ins(1, 12), erasedAll(1, 3), missed(1)), map[uint64]multiple{1: {}}},
	} {
		err := c.of.apply(append(opsOf(c.a), "find"), &c.a)
		must.Hold(t, err == nil, "%s: %v", what, err)
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
		{"a key that is there once more", oracleOf123(), launch(com("upsert", 1, 11, "ok"), got(1, 10)), "it is there more than once"},
		{"two erases of one pair", oracleOf123(), launch(ers(1, "ok"), ers(1, "ok"), missed(1)), "there were 1 pairs, 0 came in, and 2 went out"},
		{"a pair missed", oracleOf123(), launch(missed(1), com("update", 1, 11, "ok")), "find missed it, and of 1 pairs that were there all the time 0 went out"},
		{"a pair not erased", oracleOf123(), launch(ers(1, "missing"), got(1, 10)), "erase missed it"},
		{"no room for a key that is there", oracleOf123(), launch(com("upsert", 1, 11, "failed"), got(1, 10)), "upsert missed it"},
		{"a pair from nowhere", oracleOf123(), launch(did{op: "find", key: 9, outcome: "ok", gave: 5}, ers(1, "ok")), "find found it, and it was never there"},
		{"another's value", oracleOf123(), launch(got(1, 20), ers(1, "ok")), "gave 0x14, which the key never had"},
		{"the value of an update that missed", oracleOf123(), launch(ers(1, "ok"), got(1, 11), com("update", 1, 11, "missing")), "gave 0xb, which the key never had"},
		{"two upserts that brought it in, and one way out", oracleOf123(), launch(ers(1, "ok"), com("upsert", 1, 11, "ok"), com("upsert", 1, 12, "ok")), "it is there more than once"},
		{"two upserts that brought it in, with duplicates", oracleOfTwice(), launch(com("upsert", 7, 70, "ok"), com("upsert", 7, 71, "ok"), missed(7)), "2 operations found it missing and added it"},
		{"fewer than there were", oracleOfTwice(), launch(all(1, 10), ins(2, 21)), "1 to 1 pairs were found, and 2 were there"},
		{"left behind by erase_all", oracleOfTwice(), launch(ins(1, 12), erasedAll(1, 1)), "erase_all missed it"},
		{"the value of an insert that failed", oracleOf123(), launch(got(7, 70), com("insert", 7, 70, "failed")), "find found it, and it was never there"},
		{"replaced, and never there", oracleOf123(), launch(com("upsert", 9, 90, "replaced"), missed(9)), "found it, and it was never there"},
		{"handed back, and not failed", oracleOf123(), launch(ins(7, 70), missed(7)).left([]uint64{7}, []uint64{70}), "no operation with it failed"},
		{"more than there ever were", oracleOfTwice(), launch(all(1, 10, 11, 12, 13), ins(1, 12)), "4 to 4 pairs were found"},
		{"erased once too often", oracleOfTwice(), launch(erasedAll(1, 2), ers(1, "ok")), "there were 2 pairs, 0 came in, and 3 went out"},
		{"missed while two were there", oracleOfTwice(), launch(missed(1), ers(1, "ok")), "of 2 pairs that were there all the time 1 went out"},
		{"no sum of some of them", oracleOf123(), launch(com("add", 1, 5, "replaced"), com("add", 1, 3, "replaced"), got(1, 14)), "gave 0xe, which the key never had"},
		{"another's value handed back", oracleOf123(), launch(com("tally", 7, 5, "failed"), missed(7)).left([]uint64{7}, []uint64{5}), "no operation with it failed"},
		{"a counter too low", oracleOf123(), func() answers { a := launch(ins(7, 70), missed(9)); a.counts.Set("added", 0); return a }(), "0 counted as added"},
	} {
		must.Say(t, c.of.apply(append(opsOf(c.a), "find"), &c.a), c.want, c.lie)
	}
}
