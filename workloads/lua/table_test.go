package lua

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// The batches that the methods of the table request.
func TestBatches(t *testing.T) {
	const k, v = "keys = gen.unique{ n = 9, seed = 1 } ", "unique(n=9, seed=1)"
	for call, want := range map[string]string{
		"t:insert(keys, keys * 2)":                                       "insert K = mul(K, 2)",
		"t:insert(keys, 7)":                                              "insert K = take(7, count=9)",
		"t:insert(keys, u64'0xffffffffffffffff')":                        "insert K = take(18446744073709551615, count=9)",
		"t:insert(keys, gen.random{ seed = 2 })":                         "insert K = take(random(seed=2), count=9)",
		"t:update(keys:take(3), keys:take(3))":                           "update take(K, count=3) = take(K, count=3)",
		"t:find(keys)":                                                   "find K",
		"t:erase(keys:take(0))":                                          "erase take(K, count=0)",
		"t:mix{ find = 1, keys = keys, seed = 5 }":                       "mix K = take(0, count=9) : take(1, count=9)",
		"t:mix{ find = 0.5, erase = 0.5, keys = keys, n = 4, seed = 5 }": "mix take(K, count=4) = take(0, count=4) : take(choose(3, 1, p=0.5, seed=S), count=4)",
		"t:mix{ find = 0.5, update = 0.5, insert = 0, keys = keys, values = keys, seed = 5 }":                "mix K = K : take(choose(1, 2, p=0.5, seed=S), count=9)",
		"t:mix{ find = 0.5, insert = 0.5, keys = { find = keys, insert = keys + 9 }, values = 3, seed = 5 }": "mix choose(K, add(K, 9), p=0.5, seed=S) = take(3, count=9) : take(choose(1, 0, p=0.5, seed=S), count=9)",
		"t:mix{ update = 0.5, insert = 0.5, keys = keys, values = { insert = 1, update = keys }, seed = 5 }": "mix K = choose(take(1, count=9), K, p=0.5, seed=S) : take(choose(0, 2, p=0.5, seed=S), count=9)",
	} {
		have := does(t, k+call).table.asked[0]
		want = strings.ReplaceAll(want, "K", v)
		have, want = hideSeeds(have), hideSeeds(want)
		must.Hold(t, have == want, "%s asks for\n  %s\nwant\n  %s", call, have, want)
	}
}

// hideSeeds removes the derived seeds of choices.
func hideSeeds(text string) string {
	parts := strings.Split(text, "p=0.5, seed=")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.TrimLeft(parts[i], "0123456789S")
	}
	return strings.Join(parts, "p=0.5, seed=")
}

// A mix chooses operation, key and value consistently at each index.
func TestMixturesChooseAlike(t *testing.T) {
	s := does(t, `local keys = gen.sequential{ count = 50 }
		t:mix{ insert = 0.2, find = 0.3, update = 0.4, erase = 0.1, values = { insert = 7, update = 8 },
			keys = { insert = keys, find = keys + 100, update = keys + 200, erase = keys + 300 } }`)
	b := s.table.batches[0]
	seeds := func(text string) (list []string) {
		for _, part := range strings.Split(text, ", seed=")[1:] {
			list = append(list, part[:strings.IndexAny(part, ",)")])
		}
		return list
	}
	equal(t, "seeds of keys", seeds(b.Keys.String()), seeds(b.Ops.String()))
	equal(t, "seeds of values", seeds(b.Values.String()), seeds(b.Ops.String()))
	again := does(t, "t:mix{ find = 0.5, erase = 0.5, keys = gen.unique{ n = 5 } } t:mix{ find = 0.5, erase = 0.5, keys = gen.unique{ n = 5 } }").table.batches
	must.Hold(t, again[0].Ops.String() != again[1].Ops.String(), "two mixtures draw the same operations")
}

// With groups, operations take turns and process all their keys and values in order.
func TestMixturesInTurn(t *testing.T) {
	s := does(t, `local keys = gen.sequential{ count = 6 }
		t:mix{ insert = 0.5, find = 0.5, group = 2, values = keys * 3, keys = { insert = keys, find = keys + 100 } }`)
	b := s.table.batches[0]
	find, insert := uint64(slices.Index(kernels.Ops, "find")), uint64(slices.Index(kernels.Ops, "insert"))
	equal(t, "operations", generated(t, b.Ops), []uint64{find, find, insert, insert, find, find, insert, insert, find, find, insert, insert})
	equal(t, "keys", generated(t, b.Keys), []uint64{100, 101, 0, 1, 102, 103, 2, 3, 104, 105, 4, 5})
	equal(t, "values", generated(t, b.Values), []uint64{0, 3, 0, 3, 6, 9, 6, 9, 12, 15, 12, 15})
}

// generated returns the numbers of a stream.
func generated(t *testing.T, s engine.Stream) []uint64 {
	t.Helper()
	p, err := s.(stream.Stream).ProgramWith(nil) // no data of the host
	generate, there := kernels.FindHost("hz_generate")
	must.Need(t, err == nil && there, "%v %v", err, there)
	out := make([]uint64, s.Len())
	fill := &kernels.Fill{Out: uint64(uintptr(unsafe.Pointer(&out[0]))), Width: 8}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&out[0])
	pin.Pin(fill)
	pin.Pin(&p)
	generate.Run(uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(fill)), 0, s.Len())
	return out
}

func TestResults(t *testing.T) {
	show := `local r = t:insert(gen.unique{ n = 100 }, 1)
		print(r.n, r.ok, r.failed, r.missing, r.rejected, r.ms, r.mops, r.probes, r.evictions)`
	equal(t, "result", prints(t, show), []string{"100\t100\t0\t0\t0\t1\t0.1\tnil\tnil"})
	s := begun(t, body(show))
	s.table.counted = true
	must.OK(t, s.Prepare())
	equal(t, "counted result", s.printed, []string{"100\t100\t0\t0\t0\t1\t0.1\t3\t0"})
}

func TestWhatTheTableSays(t *testing.T) {
	s := does(t, `t:insert(gen.unique{ n = 1024 }, 1)
		print(t:size(), t:capacity(), t:load_factor(), t:bytes(), t:has("insert"), t:has("mix"), t:has("upsert"), t:has("flush"))
		t:clear() t:clear{} t:clear{ reseed = true } t:clear{ reseed = false }
		t:note("one") t:note("two") t:note("one")`)
	equal(t, "printed", s.printed, []string{"1024\t4096\t0.25\t32768\ttrue\ttrue\tfalse\tfalse"})
	equal(t, "cleared", s.table.cleared, []bool{false, false, true, false})
	equal(t, "remarks", s.table.notes, []string{"one", "two", "one"})
}

// What testdata/broken has is not here.
func TestWrongBatches(t *testing.T) {
	for call, want := range map[string]string{
		"t:insert()":                             "t:insert: keys is nil, it takes a vector",
		"t:insert(keys, -1)":                     "t:insert: values is -1",
		"t:insert(keys, 'x')":                    `t:insert: values is "x"`,
		"t:insert(keys, 1, 2)":                   "t:insert: unexpected argument 2: it takes keys and values",
		"t:find(u64(5))":                         `t:find: keys is u64"5"`,
		"t:find(keys - 1)":                       "t:find: keys can be as large as 18446744073709551615",
		"t:find(keys + 2^32)":                    "t:find: keys can be as large as 4294967304, the keys of a k4v4 table are at most 4294967295; hint: % 2^32",
		"t:count()":                              `the table: unknown method "count"`,
		"t:clear(5)":                             "t:clear is 5, it takes a table",
		"t:clear{ seed = 5 }":                    `t:clear: unknown field "seed"`,
		"t:clear{ reseed = 1 }":                  "t:clear.reseed is 1, it takes true or false",
		"t:has(5)":                               "t:has: the operation is 5",
		"t:has('fly')":                           `t:has: unknown operation of a table "fly"`,
		"t:mix()":                                "t:mix is nil, it takes a table",
		"t:mix{ find = 1 }":                      "t:mix: keys is nil",
		"t:mix{ find = 1, keys = gen.random{} }": "t:mix: keys has no end",
		"t:mix{ find = 2, keys = keys }":         "t:mix.find is 2, it takes a number, 0 to 1",
		"t:mix{ upsert = 1, keys = keys }":       "t:mix: scheme bcht has no operation upsert",
		"t:mix{ update = 1, keys = keys }":       "t:mix: values is nil",
		"t:mix{ update = 1, keys = keys, values = keys:take(5) }":                        "t:mix: values has 5 numbers",
		"t:mix{ find = 1, keys = keys, n = -1 }":                                         "t:mix.n is -1",
		"t:mix{ find = 1, keys = keys, seed = -1 }":                                      "t:mix: seed is -1: it takes a whole number, 0 to 2^63-1",
		"math.randomseed(-1)":                                                            "math.randomseed: seed is -1: it takes a whole number, 0 to 2^63-1",
		"t:find(keys:shuffle(0.5))":                                                      "v:shuffle: seed is 0.5: it takes a whole number, 0 to 2^63-1",
		"t:mix{ find = 0.5, erase = 0.5, keys = { find = keys, erase = keys:take(5) } }": "t:mix: keys.find has 9 numbers, others have 5",
		"t:mix{ 1, keys = keys }":                                                        "t:mix has 1 without a name",
		"t[1](keys)":                                                                     "the table has no readable element 1",
		"local v = keys for i = 1, 8 do v = v * 3 + v end t:find(v % 1000)":              "add: the expression has 1021 parts, at most 512",
		"local v = keys for i = 1, 60 do v = v * 3 + 1 end t:find(v % 1000)":             "t:find: stream mod(",
	} {
		must.Say(t, must.Err(prepared(t, "local keys = gen.unique{ n = 9 } "+call)), "test.lua:2: "+want, call)
	}
}

// A script may catch its own mistakes and continue.
func TestMistakesCanBeCaught(t *testing.T) {
	s := does(t, `print(pcall(t.upsert, t, gen.unique{ n = 5 }, 1)) t:find(gen.unique{ n = 5 })`)
	must.Hold(t, len(s.table.asked) == 1 && strings.HasPrefix(s.printed[0], "false\ttest.lua:2: t:upsert: scheme bcht has no operation upsert"),
		"asked for %q, printed %q", s.table.asked, s.printed)
}

// An error wraps what the scheme lacks, even if the script rephrased it, but not if it is unrelated.
func TestErrorsKnowWhatIsLacking(t *testing.T) {
	for body, lacking := range map[string]bool{
		"t:upsert(gen.unique{ n = 5 }, 1)":                            true,
		"local _, why = pcall(t.resize, t) error('sorry: ' .. why)":   true,
		"pcall(t.resize, t) error('something else')":                  false,
		"t:mix{ upsert = 1, keys = gen.unique{ n = 5 }, values = 1 }": true,
		"t:find(5)": false,
		"if not t:has('upsert') then error('no upsert in ' .. 5, 0) end": false,
	} {
		_, err := prepared(t, body)
		must.Hold(t, err != nil && (schemes.Lacking(err) != nil) == lacking, "%s: %v lacks %v", body, err, schemes.Lacking(err))
	}
	_, _, err := shapeOf(t, "shape = { capacity = 9, pair = 'k4v16' }", "bcht")
	lack := schemes.Lacking(err)
	must.Hold(t, lack != nil && strings.HasPrefix(lack.What, "no pairs of 4+16 bytes"), "%v lacks %v", err, lack)
}

func TestEvents(t *testing.T) {
	s := begun(t, `shape = { n = 5, load = 1 } stages = { batches = 5 }
		function event(t, i, stage) print(i, stage) if i == 3 then return false elseif i == 2 then return nil end return true end`)
	for i, want := range []bool{true, true, false} {
		if more, err := s.Event(uint64(i+1), "hot"); more != want || err != nil {
			t.Errorf("event %d: %v %v", i+1, more, err)
		}
	}
	equal(t, "printed", s.printed, []string{"1\thot", "2\thot", "3\thot"})
	must.Say(t, s.Prepare(), "", "without prepare")
	s = begun(t, rest)
	if more, err := s.Event(1, "run"); more || err != nil {
		t.Errorf("without event: %v %v", more, err)
	}
}

// The table cannot be used before prepare.
func TestNoTableInOwnLines(t *testing.T) {
	must.Say(t, must.Err(Inspect("test.lua", "t:find(gen.unique{ n = 5 })"+rest, nil, generous)), `test.lua:1: unknown global "t"`, "the script")
}

// Errors name modules by their path relative to the script's folder.
func TestErrorsNameTheirFile(t *testing.T) {
	s, err := Inspect("some/where/a.lua", "\n\n"+rest+" print(x)", nil, generous)
	var located *sandbox.Error
	must.Hold(t, s == nil && errors.As(err, &located) && located.File == "some/where/a.lua" && located.Line == 3 && located.Code != "", "%+v", located)
	for name, want := range map[string]string{
		"a.lua":        "a.lua:1: ",
		"C:/a:b/x.lua": "C:/a:b/x.lua:1: ",
		"a.lua:5: b":   "a.lua:5: b:1: ",
		"":             ":1: ",
		"%d":           "%d:1: ",
	} {
		must.Equal(t, must.Err(Inspect(name, "error('here')", nil, generous)), want+"here | error('here')", name)
	}
}

func TestErrorsOfCallsElsewhere(t *testing.T) {
	_, err := start1(t, "local function check(x)\n  if not x then error('x is missing', 2) end\nend\n"+rest+"\ncheck(1)\ncheck()\n")
	must.Equal(t, err, "test.lua:6: x is missing | check()")
	_, err = start1(t, "local f = function()\n  error('plain', 0)\nend\nf()"+rest)
	must.Equal(t, err, "test.lua:2: plain | error('plain', 0)")
	must.Begin(t, must.Err(start1(t, "local ok, e = pcall(error, 'first')\nerror(e .. ' and second')"+rest)), "test.lua:2: first and second | error(e .. ' and second')")
}
