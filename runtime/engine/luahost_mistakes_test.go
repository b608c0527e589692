package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// Each is wrong in one way. A case is the body of the function for an operation.
var luaMistakes = []struct{ on, op, body, want string }{
	// Return values.
	{"linear", "insert", "t:launch(batch)", "insert returns nothing: it returns the result of the batch, as in return t:launch(batch)"},
	{"linear", "insert", "return 5", "insert returns 5: it returns the result of the batch"},
	{"linear", "insert", "return t", "insert returns the table: it returns the result of the batch"},
	{"linear", "insert", "return t:launch(t:pairs())", "insert has not launched the batch"},
	{"linear", "insert", "t:launch(batch) return t:launch(t:pairs())", "insert returns another result: this is not the latest result of the batch"},
	{"linear", "insert", "local d = t:launch(t:remember(batch)) t:again(d) return d", "insert returns another result"},
	{"linear", "flush", "return t:launch(t:pairs())", "flush returns a result: there are no results of an operation on the whole table, so it returns nothing"},

	// Code that counts an operation twice, or loses a pair.
	{"linear", "insert", "t:launch(batch) return t:launch(batch)", "t:launch: the batch was launched already: each of its operations counts once"},
	{"linear", "flush", "t:launch(batch)", "t:launch: flush has no kernel: this function carries it out"},
	{"linear", "flush", "t:swap(t:make{})", "flush: of 30 pairs, the table has 0, and 0 are left over: none may be lost or duplicated"},
	{"linear", "flush", "local all = t:pairs() t:swap(t:make{ capacity = 8 }) t:launch(all)", "flush: of 30 pairs, the table has 8, and 0 are left over"},
	{"bcht", "flush", "t:launch(t:pairs())", "flush: of 30 pairs, the table has 60, and 0 are left over: none may be lost or duplicated"},
	{"linear", "insert", "local d = t:launch(batch) t:swap(t:make{}) return d", "insert: of 70 pairs, the table has 0, and 6 are left over"},
	{"linear", "insert", "local d = t:launch(batch) return t:again(d)", "t:again: which operations failed is not known; hint: t:launch(t:remember(batch))"},
	{"bcht", "insert", "return t:again(t:launch(t:remember(batch)))", "t:again: failed inserts of this scheme hand back pairs that they evicted; hint: t:launch(t:left(done))"},
	{"linear", "insert", "local d = t:launch(t:remember(batch)) t:again(d) return t:again(d)", "t:again: this is not the latest result of the batch"},
	{"linear", "insert", "local d = t:launch(batch) local b = t:left(d) t:launch(b) return t:launch(b)", "t:launch: this is not the latest result of the batch"},
	{"linear", "insert", "local d = t:launch(batch) t:remember(batch) return d", "t:remember: the batch was launched already"},
	{"linear", "insert", "local d = t:launch(batch) t:remember(t:left(d)) return d", "t:remember: it is given a batch: it takes the batch that the function is given"},
	{"linear", "insert", "local d = t:launch(t:remember(batch)) t:launch(t:left(d)) t:pairs(d) return d", "t:pairs: this is not the latest result of the batch"},

	// Limits.
	{"linear", "flush", "while true do end", "the host side ran 1000000 instructions in one call, the limit; hint: check for an endless loop |"},
	{"linear", "flush", "local a = {} for i = 1, 1e5 do a[i] = { {}, {} } end", "the host side holds"},

	// Values of another kind than wanted.
	{"linear", "flush", "t:launch(5)", "t:launch: it is given 5: it takes a batch, or the name of a kernel"},
	{"linear", "flush", "t:launch()", "t:launch: it is given nil"},
	{"linear", "flush", "t.launch(batch)", "launch is called on a batch: write t:launch(...), with a colon"},
	{"linear", "flush", "t:remember(5)", "t:remember: it is given 5"},
	{"linear", "flush", "t:again(batch)", "t:again: it is given a batch: it takes a result, as t:launch gives one"},
	{"linear", "flush", "t:left{}", "t:left: it is given a table: it takes a result"},
	{"linear", "insert", `t:left(t:launch(batch), "erase")`, `t:left: unknown operation "erase": choose from insert, upsert, find`},
	{"1cht", "insert", `t:left(t:launch(batch), "upsert")`, "t:left: the scheme has no operation upsert"},
	{"linear", "flush", `t:pairs("all")`, `t:pairs: it is given "all": it takes a result`},
	{"linear", "flush", "t:make(5)", "t:make: it is given 5: it takes { name = value }"},
	{"linear", "flush", "t:make{ capacity = 0 }", "t:make: capacity is 0, it takes a whole number from 1 on"},
	{"linear", "flush", "t:make{ capacity = -1 }", "t:make: capacity is -1, it takes a whole number from 1 on"},
	{"linear", "flush", "t:make{ capacity = 0.5 }", "t:make: capacity is 0.5, it takes a whole number"},
	{"linear", "flush", "t:make{ capacity = batch }", "t:make: capacity is a batch, it takes a whole number"},
	{"linear", "flush", "t:make{ reseed = 1 }", "t:make: reseed is 1, it takes true or false"},
	{"linear", "flush", "t:make{ slots = 5 }", `t:make: unknown field "slots": choose from capacity, reseed`},
	{"dycuckoo", "resize", "t:make{}", "t:make: tables of scheme dycuckoo need a setup, which t:make cannot do"},
	{"linear", "flush", "t:swap(5)", "t:swap: it is given 5: it takes a block, as t:make{ capacity = 1000 } gives one"},
	{"linear", "flush", "local old = t:swap(t:make{}) t:swap(old) t:swap(old)", "t:swap: the block is in its place already"},
	{"linear", "flush", "local a = t:pairs() local old = t:swap(t:make{}) t:launch(a) t:make{} t:swap(old)", "t:swap: the block was released"},
	{"linear", "flush", "local a = t:pairs() local old = t:swap(t:make{}) t:launch(a) t:make{} old:region('slots')", "block:region: the block was released"},
	{"linear", "flush", "t:make{}:region('slot')", `block:region: unknown region "slot": did you mean slots?`},
	{"linear", "flush", "t:make{}.region(t, 'slots')", "region is called on the table: write block:region(...), with a colon"},
	{"linear", "flush", "t:launch('split')", `t:launch: there is no kernel "split": the scheme has none of its own`},
	{"dycuckoo", "resize", "t:launch('weight', {})", `t:launch: unknown kernel "weight": did you mean weigh?`},
	{"dycuckoo", "resize", "t:launch('weigh', 5)", "t:launch: it is given 5: it takes { name = value }"},
	{"dycuckoo", "resize", "t:launch('weigh', { m = 5 })", `t:launch: unknown field "m"`},
	{"dycuckoo", "resize", "t:launch('weigh', { out = 5 })", "t:launch: out is 5, it takes memory, as t:alloc gives it"},
	{"dycuckoo", "resize", "t:launch('weigh', { select = 'all' })", `t:launch: select is "all", it takes a whole number`},
	{"linear", "flush", "t:alloc{}", "t:alloc: bytes is 0 and fill is 0: it takes at least 1, and 0 to 255"},
	{"linear", "flush", "t:alloc{ bytes = 8, fill = 256 }", "t:alloc: bytes is 8 and fill is 256"},
	{"linear", "flush", "t:read(5, 1)", "t:read: it is given 5: it takes memory, as t:alloc gives it"},
	{"linear", "flush", "t:read(t:alloc{ bytes = 15 }, 2)", "t:read: number 2 of 1: it takes 1 to 1"},
	{"linear", "flush", "t:read(t:alloc{ bytes = 8, fill = 255 }, 1)", "t:read: the number is 18446744073709551615: Lua has no whole ones above 2^53"},
	{"linear", "flush", "t:note(5)", "t:note: it is given 5: it takes a text"},

	// Names.
	{"linear", "flush", "return t.capcity", `the table: unknown field "capcity": did you mean capacity?`},
	{"linear", "flush", "return t.param.buckets", `unknown parameter "buckets": did you mean bucket?`},
	{"linear", "flush", "return batch.keys", `a batch: unknown field "keys": choose from n, op`},
	{"linear", "insert", "return t:launch(batch).faild", `a result: unknown field "faild": did you mean failed?`},
	{"linear", "flush", "t.capacity = 5", "capacity of the table cannot be assigned: it can only be read"},
	{"linear", "flush", "count = 5", "count is assigned in a function: globals are lost after the call; hint: local count"},
	{"linear", "flush", "return matth.floor(5)", `unknown global "matth": did you mean math?`},
	{"linear", "flush", "print(t)", `unknown global "print"`},
	{"linear", "flush", "error('not today')", "not today"},
	{"linear", "flush", "getmetatable(t).__index = nil", "attempt to index"},
}

// A mistake is one line with its place, and the table is as it was: other operations go on,
// and all memory is given back.
func TestMistakesInLua(t *testing.T) {
	for _, m := range luaMistakes {
		source := "function " + m.op + "(t, batch)\n" + m.body + "\nend"
		dev := newStingy(t, 1<<30)
		on := table(t, dev, Spec{Config: inLua(t, m.on, source), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 1, Results: true})
		fill := Batch{Op: "insert", Keys: from(1, 30), Values: from(1, 30)}
		if m.op == "insert" { // which it cannot do
			on.spec.Config = inLua(t, m.on, "function insert(t, batch) return t:launch(batch) end")
			passing(t, on, fill)
			on.spec.Config = inLua(t, m.on, source)
		} else {
			passing(t, on, fill)
		}
		batch := Batch{Op: m.op}
		if m.op == "insert" {
			n := 40 // more than there is room for
			if !on.Config().Caps.Stable {
				n = 5 // or others would be pushed out
			}
			batch = Batch{Op: "insert", Keys: from(100, n), Values: from(100, n)}
		}
		in := load(t, dev, schemes.Pair4, batch)
		_, err := on.Run(in)
		var at *sandbox.Error
		if err == nil || !strings.Contains(err.Error(), m.want) || strings.Contains(err.Error(), "\n") ||
			!errors.As(err, &at) || at.File != "x.lua" || at.Line == 0 {
			t.Errorf("%s, %s: %v, want %q", m.on, m.body, err, m.want)
		}
		if s := passing(t, on, find(from(1, 30))); s.Counts.Get("ok") != 30 {
			t.Errorf("%s, %s: %d of 30 pairs are there", m.on, m.body, s.Counts.Get("ok"))
		}
		if err := errors.Join(in.Release(), on.Close()); err != nil {
			t.Errorf("%s, %s: %v", m.on, m.body, err)
		}
		dev.check(t, 0, 0)
	}
}

// A device without memory is no mistake: the table is put back as it was, with a note, and
// the batch is carried out as far as there is room.
func TestNoMemoryInLua(t *testing.T) {
	for body, want := range map[string]uint64{
		"t:make{ capacity = 2^30 } return t:launch(batch)":                                                                    34,
		"t:alloc{ bytes = 2^40 } return t:launch(batch)":                                                                      34,
		"pcall(t.alloc, t, { bytes = 2^40 }) while true do end":                                                               34,
		"local done = t:launch(batch) t:make{ capacity = 2^30 } return done":                                                  34,
		"t:make{ capacity = 2^50 } return t:launch(batch)":                                                                    34,
		"local d = t:launch(batch) local old = t:swap(t:make{ capacity = 100 }) t:make{ capacity = 2^30 } return d":           34,
		"local a = t:pairs() local old = t:swap(t:make{ capacity = 200 }) t:launch(a) t:make{ capacity = 2^30 } return 5":     40,
		"local a = t:pairs() t:swap(t:make{ capacity = 200 }) t:launch(a) t:launch(batch) t:alloc{ bytes = 2^40 } return nil": 40,
	} {
		dev := newStingy(t, 1<<24)
		on := luaTable(t, dev, "linear:bucket=1", "function insert(t, batch)\nif t.size == 0 then return t:launch(batch) end\n"+body+"\nend", 64, 1)
		passing(t, on, insert(from(1, 30)))
		s := passing(t, on, insert(from(100, 40)))
		if ok := s.Counts.Get("ok"); ok != want || len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "no memory, so the table stays as it is: ") {
			t.Errorf("%s: %d of 40 are in, notes %q", body, ok, s.Notes)
		}
		contents(t, on)
		passing(t, on, find(from(1, 200)))
		if err := on.Close(); err != nil {
			t.Error(err)
		}
		dev.check(t, 0, 0)
	}
}
