package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// told returns the answers of a table with the pairs 1=10, 2=20, 3=30 to one batch, 4+4 bytes; a lie changes them.
func told(op string, keys, values []uint64, outcomes ...string) answers {
	a := answers{keys: keys, values: values, pair: schemes.Pair4, phaseResult: phaseResult{counts: make(schemes.Counts, len(kernels.Counters))}}
	for i, outcome := range outcomes {
		a.ops, a.outcomes = append(a.ops, byte(opCode(op))), append(a.outcomes, outcomeNumber(outcome))
		a.out = append(a.out, a.pair.NoValue())
		if op == "find" && outcome == "ok" {
			a.out[i] = 10 * keys[i]
		}
	}
	a.recount()
	return a
}

// elsewhere is the outcome of an operation of another launch: its number is notAsked.
const elsewhere = ""

// recount makes the counters say what the outcomes say.
func (a *answers) recount() {
	clear(a.counts)
	more := func(counter string, n uint64) { a.counts.Set(counter, a.counts.Get(counter)+n) }
	for i, number := range a.outcomes {
		if number == notAsked {
			continue
		}
		outcome := outcomeName(number)
		more(outcome, 1)
		switch op := opName(a.ops[i]); { // not by kernels.Operations, which are tested with it
		case outcome == "ok" && slices.Contains([]string{"insert", "upsert", "add", "min", "max", "tally", "put"}, op):
			more("added", 1)
		case outcome == "evicted":
			more("added", 1)
			more("removed", 1)
		case outcome == "ok" && op == "erase":
			more("removed", 1)
		case outcome == "ok" && op == "erase_all":
			more("removed", a.out[i])
		case outcome == "ok" && (op == "find_all" || op == "retrieve"):
			more("found", a.out[i])
		}
	}
	a.counts.Set("pairs", uint64(len(a.leftKeys)))
}

func oracleOf123() *oracle {
	o := newOracle(false, false)
	for key := uint64(1); key <= 3; key++ {
		o.of(key).set(key, one(10*key))
	}
	return o
}

const (
	erasedKey = 0xfffffffe
	emptyKey  = 0xffffffff
)

// A shard that hands back more than it was asked for fails as a whole, and the others do not.
func TestShardsFailForThemselves(t *testing.T) {
	a := told("insert", []uint64{7, 8}, []uint64{70, 80}, "failed", "ok")
	a.leftKeys, a.leftValues = []uint64{2, 7}, []uint64{20, 70}
	a.recount()
	for _, shards := range []bool{false, true} {
		o := oracleOf123()
		o.shards = shards
		err := o.apply([]string{"insert"}, &a)
		must.Hold(t, (err == nil) == shards, "shards %v: %v", shards, err)
	}
}

func TestOracleCatchesLies(t *testing.T) {
	keys, values := []uint64{7, 8}, []uint64{70, 80}
	insert := func() answers { return told("insert", keys, values, "ok", "ok") }
	find := func() answers { return told("find", []uint64{1, 9}, nil, "ok", "missing") }
	for _, c := range []struct {
		lie  string
		op   string
		a    answers
		tell func(*answers)
		want string
	}{
		{"an operation that got no outcome", "insert", insert(), func(a *answers) { a.outcomes[0] = outcomeNumber("none") }, "outcome none"},
		{"an outcome that no insert has", "insert", insert(), func(a *answers) { a.outcomes[0] = outcomeNumber("missing") }, "outcome missing"},
		{"a counter too high", "insert", insert(), func(a *answers) { a.counts.Set("ok", 3) }, "3 counted as ok, and 2"},
		{"a failure that is not counted", "insert", insert(), func(a *answers) { a.outcomes[1] = isFailed }, "2 counted as ok, and 1"},
		{"a reserved key taken", "insert", told("insert", []uint64{emptyKey}, []uint64{1}, "ok"), nil, "instead of one of [rejected]"},
		{"a good key rejected", "insert", told("insert", []uint64{5}, []uint64{1}, "rejected"), nil, "outcome rejected"},
		{"a failure with nothing handed back", "insert", told("insert", keys, values, "ok", "failed"), nil, "1 of 2 failed, and 0 pairs"},
		{"a pair handed back without a failure", "insert", insert(),
			func(a *answers) { a.leftKeys, a.leftValues = []uint64{1}, []uint64{10} }, "0 of 2 failed, and 1 pairs"},
		{"pairs that came in and are not counted", "insert", insert(), func(a *answers) { a.counts.Set("added", 1) }, "1 counted as added, and 2"},
		{"a pair handed back that was never put in", "insert", told("insert", keys, values, "ok", "failed"),
			func(a *answers) { a.leftKeys, a.leftValues = []uint64{5}, []uint64{50} }, "never put in"},
		{"a pair handed back with another's value", "insert", told("insert", keys, values, "ok", "failed"),
			func(a *answers) { a.leftKeys, a.leftValues = []uint64{1}, []uint64{20} }, "never put in"},
		{"a pair handed back twice", "insert", told("insert", keys, values, "failed", "failed"),
			func(a *answers) { a.leftKeys, a.leftValues = []uint64{1, 1}, []uint64{10, 10} }, "handed back before"},
		{"a key twice", "insert", told("insert", []uint64{1}, []uint64{10}, "ok"), nil, "it is there more than once, which this scheme does not allow"},
		{"a pair lost", "find", find(), func(a *answers) { *a = told("find", []uint64{1}, nil, "missing") }, "find missed it"},
		{"a pair from nowhere", "find", find(), func(a *answers) { *a = told("find", []uint64{9}, nil, "ok") }, "find found it, and it was never there"},
		{"another's value", "find", find(), func(a *answers) { a.out[0] = 20 }, "gave 0x14 instead of one of [0xa]"},
		{"a value for a missing key", "find", find(), func(a *answers) { a.out[1] = 0 }, "outcome missing, and it gave 0x0"},
		{"an update lost", "update", told("update", []uint64{1}, []uint64{11}, "missing"), nil, "update missed it"},
		{"an erase of nothing", "erase", told("erase", []uint64{9}, nil, "ok"), nil, "there were 0 pairs, 0 came in, and 1 went out"},
		{"one pair erased twice", "erase", told("erase", []uint64{1, 1}, nil, "ok", "ok"), nil, "there were 1 pairs, 0 came in, and 2 went out"},
	} {
		if c.tell != nil {
			c.tell(&c.a)
		}
		must.Say(t, oracleOf123().apply([]string{c.op}, &c.a), c.want, c.lie)
	}
}

func TestOracleCatchesFalseContents(t *testing.T) {
	for _, c := range []struct {
		lie          string
		keys, values []uint64
		want         string
	}{
		{"a pair lost", []uint64{1, 2}, []uint64{10, 20}, "2 pairs instead of 3"},
		{"a pair too many", []uint64{1, 2, 3, 4}, []uint64{10, 20, 30, 40}, "4 pairs instead of 3"},
		{"a pair twice, another lost", []uint64{1, 2, 2}, []uint64{10, 20, 20}, "key 0x2 2 times instead of 1"},
		{"a wrong value", []uint64{1, 2, 3}, []uint64{10, 20, 20}, "0x3, 0x14, which was never put in"},
		{"a wrong key", []uint64{1, 2, 4}, []uint64{10, 20, 30}, "key 0x4 1 times instead of 0"},
	} {
		must.Say(t, oracleOf123().holds(c.keys, c.values), c.want, c.lie)
	}
}

// Several updates of one key leave a choice, which the first answer settles.
func TestOracleWaitsForAnAnswerThatDependsOnOrder(t *testing.T) {
	twoUpdates := func() *oracle {
		o := oracleOf123()
		a := told("update", []uint64{1, 1}, []uint64{11, 12}, "ok", "ok")
		must.OK(t, o.apply([]string{"update"}, &a))
		return o
	}
	finds := func(values ...uint64) *answers {
		a := told("find", slices.Repeat([]uint64{1}, len(values)), nil, slices.Repeat([]string{"ok"}, len(values))...)
		a.out = values
		return &a
	}
	for _, value := range []uint64{11, 12} {
		if err := twoUpdates().apply([]string{"find"}, finds(value, value)); err != nil {
			t.Errorf("a find gave %d: %v", value, err)
		}
		if err := twoUpdates().holds([]uint64{1, 2, 3}, []uint64{value, 20, 30}); err != nil {
			t.Errorf("the table holds %d: %v", value, err)
		}
	}
	must.Hold(t, twoUpdates().apply([]string{"find"}, finds(10)) != nil, "the value from before both updates was believed")
	must.Hold(t, twoUpdates().apply([]string{"find"}, finds(11, 12)) != nil, "two finds gave different values of one key, and were believed")
}

// opCode is the number by which kernels know an operation.
func opCode(op string) uint64 { return uint64(kernels.OpNumber(op)) }

// A batch that several processors check: the truth passes, and the first of several wrong answers is named.
func TestOracleOfLargeBatches(t *testing.T) {
	const n = 5 << 14
	keys, values := make([]uint64, n), make([]uint64, n)
	for i := range keys {
		keys[i], values[i] = uint64(i)*2654435761%1000003, uint64(i)
	}
	for lie := range 8 {
		o := newOracle(false, false)
		stored := told("insert", keys, values, slices.Repeat([]string{"ok"}, n)...)
		found := told("find", keys, nil, slices.Repeat([]string{"ok"}, n)...)
		copy(found.out, values)
		at := lie * (n - 1) / 7
		for i := at; lie > 0 && i < n; i += 997 {
			found.out[i]++
		}
		err := cmp.Or(o.apply([]string{"insert"}, &stored), o.apply([]string{"find"}, &found))
		want := fmt.Sprintf("key %#x", keys[at])
		must.Hold(t, (err == nil) == (lie == 0) && (lie == 0 || strings.Contains(err.Error(), want)), "%v, want %s", err, want)
	}
}
