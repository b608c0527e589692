package engine

import (
	"slices"
	"strings"
	"testing"
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

func TestOracleBelievesTheTruthOfFurtherOperations(t *testing.T) {
	sevens := []uint64{7, 7, 7}
	for what, c := range map[string]struct {
		of   *oracle
		op   string
		a    answers
		then map[uint64]multiple
	}{
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
		if err := c.of.apply([]string{c.op}, &c.a); err != nil {
			t.Errorf("%s: %v", what, err)
		}
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
		{"an upsert that misses", oracleOf123(), told("upsert", []uint64{7}, []uint64{70}, "missing"), "outcome missing"},
		{"a find that replaces", oracleOf123(), told("find", []uint64{1}, nil, "replaced"), "outcome replaced"},
		{"one value of two", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 1, 10), "1 to 1 pairs were found, and 2 were there"},
		{"three values of two", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 3, 10, 11, 10), "3 to 3 pairs were found, and 2 were there"},
		{"a value twice", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 2, 10, 10), "the value 0xa, which was never put in, or"},
		{"another's value", oracleOfTwice(), told("find_all", []uint64{1}, nil, "ok").gives(0, 2, 10, 20), "the value 0x14, which was never"},
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
		{"erased none", oracleOfTwice(), told("erase_all", []uint64{1}, nil, "missing"), "erase_all missed it"},
		{"erased, and nothing", oracleOfTwice(), told("erase_all", []uint64{9}, nil, "ok").gives(0, 0), "about no pair"},
		{"missing, and some", oracleOfTwice(), told("erase_all", []uint64{9}, nil, "missing").gives(0, 0), "outcome missing, and it gave 0x0"},
		{"an operation that the oracle does not know", oracleOf123(), told("guess", []uint64{1}, nil, elsewhere), "no operation number 255"},
	} {
		if err := c.of.apply([]string{opName(c.a.ops[0])}, &c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.lie, err, c.want)
		}
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
		err := oracleOfTwice().holds(c.keys, c.values)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want an error with %q", c.lie, err, c.want)
		}
	}
}

// A value of which one word is another's is none that anyone has put in.
func TestTornValuesAreNoticed(t *testing.T) {
	for _, width := range []int{16, 32, 64} {
		a, b := List{5}.bytes(width), List{6}.bytes(width)
		if wideNumber(a) != 5 || wideNumber(b) != 6 {
			t.Errorf("%d bytes: %d and %d, want 5 and 6", width, wideNumber(a), wideNumber(b))
		}
		for word := range width / 8 {
			mixed := slices.Clone(a)
			copy(mixed[8*word:], b[8*word:8*word+8])
			if wideNumber(mixed) != torn {
				t.Errorf("%d bytes with word %d of another: %#x", width, word, wideNumber(mixed))
			}
		}
		if none := slices.Repeat([]byte{255}, width); wideNumber(none) != ^uint64(0) {
			t.Errorf("%d bytes of all ones: %#x", width, wideNumber(none))
		}
	}
}
