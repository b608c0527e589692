package lua

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// The replaced standard functions behave as in the manual of Lua 5.1.
func TestStandardFunctions(t *testing.T) {
	for expression, want := range map[string]string{
		`("hello world"):find("wor")`:                                              "7 9",
		`("hello world"):find("l+", 5)`:                                            "10 10",
		`("hello world"):find("(o)(r)")`:                                           "8 9 o r",
		`("a.b"):find(".", 2, true)`:                                               "2 2",
		`("a.b"):find("x", 1, true)`:                                               "nil",
		`("abc"):find("b", -1)`:                                                    "nil",
		`("abc"):find("b", -2)`:                                                    "2 2",
		`("abc"):find("", 10)`:                                                     "nil",
		`("abc"):find("")`:                                                         "1 0",
		`("key = value"):match("^(%w+)%s*=%s*(%w+)$")`:                             "key value",
		`("2024-05-17"):match("%d+", 6)`:                                           "05",
		`("abc"):match("()")`:                                                      "1",
		`("abc"):gsub("%w", "%0%0")`:                                               "aabbcc 3",
		`("abc"):gsub("", "-")`:                                                    "-a-b-c- 4",
		`("hello world"):gsub("o", "0", 1)`:                                        "hell0 world 1",
		`("abc"):gsub("^a", "x")`:                                                  "xbc 1",
		`("hello"):gsub("l", { l = "L" })`:                                         "heLLo 2",
		`("hello"):gsub("l", { })`:                                                 "hello 2",
		`("hello"):gsub("(h)(e)", "%2%1")`:                                         "ehllo 1",
		`("abc"):gsub("b", function(x) return x:upper() end)`:                      "aBc 1",
		`("abc"):gsub("b", function() end)`:                                        "abc 1",
		`("abc"):gsub("b", 5)`:                                                     "a5c 1",
		`("abc"):gsub("b", "%%")`:                                                  "a%c 1",
		`("x"):rep(3) .. ("x"):rep(0) .. ("x"):rep(-1)`:                            "xxx",
		`string.format("%d|%5d|%-5d|%05d|%+d", 1, 2, 3, 4, 5)`:                     "1|    2|3    |00004|+5",
		`string.format("%x|%X|%#x|%o|%c", 255, 255, 255, 8, 65)`:                   "ff|FF|0xff|10|A",
		`string.format("%.2f|%8.3f|%e|%g|%G", 1.005, 3.14159, 12345, 1e20, 1e-10)`: "1.00|   3.142|1.234500e+04|1e+20|1E-10",
		`string.format("%s|%10s|%-10s|%.2s|%q", "a", "b", "c", "def", 'g"h')`:      `a|         b|c         |de|"g\"h"`,
		`string.format("%s %s %s", nil, true, {})`:                                 "nil true table",
		`string.format("100%%")`:                                                   "100%",
		`table.concat({ 1, "b", 3 }, ", ")`:                                        "1, b, 3",
		`table.concat({ 1, 2, 3 }, "-", 2, 3)`:                                     "2-3",
		`table.concat({})`:                                                         "",
		`1 .. 2 .. "x" .. 0.5`:                                                     "12x0.5",
		`("a" .. "b") .. ("c" .. "d")`:                                             "abcd",
		`"a" .. (function() return "b", "c" end)()`:                                "ab",
		`tonumber("1e6")`:                                                          "1000000",
		`tonumber("0x1F")`:                                                         "31",
		`tonumber(" 12 ")`:                                                         "12",
		`tonumber("ff", 16)`:                                                       "255",
		`tonumber("inf")`:                                                          "nil",
		`tonumber("1_000")`:                                                        "nil",
		`tonumber("")`:                                                             "nil",
		`tonumber({})`:                                                             "nil",
		`tostring(setmetatable({}, { __tostring = function() return "me" end }))`: "me",
		`tostring(print)`:     "function",
		`math.huge`:           "+Inf",
		`-math.huge < -1e308`: "true",
		`#_VERSION > 0`:       "true",
		`select("#", unpack({ 1, nil, 3 }, 1, 3))`: "3",
	} {
		have := prints(t, "print("+expression+")")
		must.Hold(t, len(have) == 1 && strings.ReplaceAll(have[0], "\t", " ") == want, "%s is %q, want %q", expression, have, want)
	}
}

func TestLinesOfLua(t *testing.T) {
	for lines, want := range map[string][]string{
		`for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do print(k, v) end`:                                                            {"a\t1", "b\t2"},
		`for w in ("one two"):gmatch("%a+") do print(w) end`:                                                                           {"one", "two"},
		`for p in ("ab"):gmatch("()") do print(p) end`:                                                                                 {"1", "2", "3"},
		`local x = { 3, 1, 2 } table.sort(x) print(unpack(x))`:                                                                         {"1\t2\t3"},
		`local x = { "b", "c", "a" } table.sort(x, function(a, b) return a > b end) print(unpack(x))`:                                  {"c\tb\ta"},
		`local x = {} table.sort(x) print(#x)`:                                                                                         {"0"},
		`local x = { 2, 1 } print(pcall(table.sort, x, function() error("no", 0) end)) print(unpack(x))`:                               {"false\tno", "2\t1"},
		`print(pcall(table.sort, { 1, "a" }))`:                                                                                         {"false\ttest.lua:2: attempt to compare string with number"},
		`local m = setmetatable({}, { __concat = function(a, b) return type(a) .. type(b) end }) print(m .. 1, 1 .. m, "x" .. 1 .. m)`: {"tablenumber\tnumbertable\tx" + "numbertable"},
		`print(pcall(function() return 1 .. nil end))`:                                                                                 {"false\ttest.lua:2: 1 .. nil: operands must be texts, numbers or vectors; hint: tostring(x) makes a text"},
		`print(pcall(table.concat, { 1, {}, 3 }))`:                                                                                     {"false\ttest.lua:2: table.concat: item 2 is a table, it takes texts and numbers"},
		`print(pcall(string.format, "%d", "x"))`:                                                                                       {"false\ttest.lua:2: string.format: value 1 is \"x\": %d takes a number"},
		`print(pcall(string.format, "%y", 1))`:                                                                                         {"false\ttest.lua:2: string.format: unknown format %y: choose from %d %i %u %c %x %X %o %e %E %f %g %G %q %s"},
		`print(pcall(string.format, "%d"))`:                                                                                            {"false\ttest.lua:2: string.format: value 1 is missing, for %d"},
		`print(pcall(string.format, "%"))`:                                                                                             {"false\ttest.lua:2: string.format: the format ends with %; hint: %% is a percent sign"},
		`print(pcall(string.gsub, "a", "(a", "b"))`:                                                                                    {"false\ttest.lua:2: string.gsub: pattern \"(a\": unfinished capture"},
		`print(pcall(string.gsub, "a", "a", "%2"))`:                                                                                    {"false\ttest.lua:2: string.gsub: the replacement contains %2, the highest capture is %1"},
		`print(pcall(string.gsub, "a", "a", true))`:                                                                                    {"false\ttest.lua:2: string.gsub: argument 3 is true, it takes a text, a table or a function"},
		`print(pcall(string.gsub, "a", "a", function() return {} end))`:                                                                {"false\ttest.lua:2: string.gsub: the replacement is a table, it takes a text, a number, or nil to keep the match"},
		`local t = {} t.x = 1 t.y = 2 t[1] = 3 t.a = 4 for k, v in pairs(t) do print(k, v) end`:                                        {"1\t3", "x\t1", "y\t2", "a\t4"},
		`local f do local x = 5 pcall(function() f = function() return x end error("e") end) end local y = 7 print(f(), y)`:            {"5\t7"},
		`for i = 1, 3 do if i == 2 then goto next end print(i) ::next:: end`:                                                           {"1", "3"},
		`x = rawget(_G, "x") or 5 x = x + 1 print(x)`:                                                                                  {"6"},
		`local t = {} t[100000] = 1 print(#t == 0 or #t == 100000, t[100000])`:                                                         {"true\t1"},
		`local t = {} t[2 ^ 21] = 1 print(#t, t[2 ^ 21])`:                                                                              {"0\t1"},
	} {
		have := prints(t, lines)
		must.Hold(t, slices.Equal(have, want), "%s\n  prints %q\n  want   %q", lines, have, want)
	}
}

// asks returns the batches that a script requests, and what it prints.
func asks(t testing.TB, source string, setup run.Setup, scheme string) []string {
	t.Helper()
	s := begun(t, source, func(_ *Script, to *run.Setup) {
		setup.Config = config(t, scheme)
		*to = setup
	})
	must.OK(t, s.Prepare())
	for i := range uint64(3) {
		must.Get(s.Event(i+1, "run"))(t)
	}
	return append(s.table.asked, s.printed...)
}

// all is a script that uses everything random.
const all = `
options = { n = 1000 }
axes = { load = { 0.5, 0.7 } }
shape = { n = opt.n, load = opt.load }
stages = { batches = 3 }
local some = { alpha = 1, beta = 2, gamma = 3, [{}] = 4, [print] = 5, [0.5] = 6, [true] = 7 }
function prepare(t)
  keys = gen.unique{ n = opt.n }
  t:insert(keys, gen.random{})
  print(keys, math.random(1e6), {}, print, t, keys.take)
end
function event(t, i, stage)
  for k, v in pairs(some) do print(k, v) end
  t:find(gen.hits{ of = keys, ratio = 0.5 })
  t:find(gen.keys{}:take(10))
  t:find(keys:shuffle():concat(keys:sample(10)))
  t:mix{ find = 0.5, erase = 0.5, keys = gen.zipfian{ n = 100, count = math.random(10) } }
  t:update(gen.pairs{ pairs = 100, unique = 50, max_duplicates = 10 }, gen.normal{ mean = 5, stddev = 2 })
  t:find(gen.choose{ first = gen.hotspot{ n = 5 }, second = gen.latest{ n = 50 }, p = 0.5, count = 20 })
  t:find(gen.from(function(i) return math.random(i) end, { n = 20 }))
end`

func TestTheSameSeedGivesTheSameStreams(t *testing.T) {
	first := asks(t, all, run.Setup{Seed: 7}, "bcht")
	for range 5 {
		equal(t, "again", asks(t, all, run.Setup{Seed: 7}, "bcht"), first)
	}
	equal(t, "another scheme", asks(t, all, run.Setup{Seed: 7}, "1cht:hashes=3"), first)

	for what, setup := range map[string]run.Setup{
		"another seed":   {Seed: 8},
		"another option": {Seed: 7, Options: map[string]any{"n": 2000.0}},
	} {
		other := asks(t, all, setup, "bcht")
		must.Hold(t, len(other) == len(first) && !slices.Equal(other, first), "%s: the script asks for the same", what)
	}
}

// Every call of a generator makes another stream, and the parts of a batch are independent.
func TestSeedsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range prints(t, `for i = 1, 50 do
		print(gen.uniform{ n = 10 }) print(gen.unique{ n = 10 }) print(gen.unique{ n = 10 }:shuffle())
		print(gen.random{}) print(gen.keys{})
	end`) {
		must.Hold(t, !seen[line], "%s comes twice", line)
		seen[line] = true
	}
	same := prints(t, `for i = 1, 2 do print(gen.uniform{ n = 10, seed = 5 }, gen.unique{ n = 10, seed = 6 }:shuffle(7)) end`)
	must.Hold(t, same[0] == same[1], "given seeds are not used: %q", same)
}

// Each state has its own math.random.
func TestRandomIsOfTheState(t *testing.T) {
	draw := "for i = 1, 5 do t:note(tostring(math.random(1e9))) end"
	alone := does(t, draw).table.notes

	a, b := does(t, ""), does(t, "math.random(10)")
	for range 5 {
		for _, s := range []*started{a, b} {
			s.L.SetTop(0)
			must.Get(s.random(s.L))(t)
		}
	}
	equal(t, "numbers after others drew", does(t, draw).table.notes, alone)
	if first, second := does(t, "t:note(math.random(1e9) .. '')"), does(t, "math.random() t:note(math.random(1e9) .. '')"); first.table.notes[0] == second.table.notes[0] {
		t.Error("math.random gives the same number again")
	}
}

func TestRandomIsInRange(t *testing.T) {
	lines := `
	for i = 1, 2000 do
	  local x, y, z = math.random(), math.random(6), math.random(-2, 2)
	  assert(x >= 0 and x < 1) assert(y >= 1 and y <= 6 and y % 1 == 0) assert(z >= -2 and z <= 2 and z % 1 == 0)
	  seen = rawget(_G, "seen") or {} seen[y] = true seen["z" .. z] = true
	end
	local n = 0 for _ in pairs(seen) do n = n + 1 end print(n, math.random(5, 5))`
	equal(t, "printed", prints(t, lines), []string{"11\t5"})
	for _, call := range []string{"0", "-1", "2, 1", "0/0", "1, math.huge", "-2^60, 2^60", "1e300"} {
		must.Say(t, must.Err(prepared(t, "math.random("+call+")")), "it takes whole numbers up to 2^53", call)
	}
}

func TestVectors(t *testing.T) {
	const u = "gen.unique{ n = 9, seed = 1 }"
	for expression, want := range map[string]string{
		"v + 1":                             "add(V, 1)",
		"1 + v":                             "add(1, V)",
		"v - 1":                             "sub(V, 1)",
		"10 - v":                            "sub(10, V)",
		"v * 2 + 1":                         "add(mul(V, 2), 1)",
		"v / 2":                             "div(V, 2)",
		"v % 5":                             "mod(V, 5)",
		"v + v":                             "add(V, V)",
		`v + u64"0xffffffffffffffff"`:       "add(V, 18446744073709551615)",
		`u64"7" * v`:                        "mul(7, V)",
		"v .. v":                            "concat(V, V)",
		"v .. v .. v":                       "concat(V, concat(V, V))",
		"v:concat(v)":                       "concat(V, V)",
		"v:take(5)":                         "take(V, count=5)",
		"v:take(9)":                         "V",
		"v:take(u64(5))":                    "take(V, count=5)",
		"v:skip(5)":                         "skip(V, count=5)",
		"v:slice(2, 3)":                     "take(skip(V, count=2), count=3)",
		"v:shuffle(5)":                      "shuffle(V, seed=5)",
		"v:sample(4, 5)":                    "take(shuffle(V, seed=5), count=4)",
		"v:cycle()":                         "at(V, mod(sequential(), 9))",
		"v:at(v)":                           "at(V, V)",
		"v:xor(1)":                          "xor(V, 1)",
		"v:fnv()":                           "fnv(V)",
		"#v":                                "9",
		"#v:cycle()":                        "+Inf",
		"gen.sequential() + 1":              "add(sequential(), 1)",
		"gen.sequential{ count = 5 }":       "take(sequential(), count=5)",
		"gen.constant{ value = u64'0xff' }": "255",
		"gen.affine{ a = 2, b = 1 }":        "affine(a=2, b=1)",
		"gen.zipfian{ n = 5, seed = 1 }":    "zipfian(n=5, theta=0.99, seed=1)",
		"gen.choose{ first = 1, second = v, p = 0.5, seed = 1 }": "choose(1, V, p=0.5, seed=1)",
	} {
		want = strings.ReplaceAll(want, "V", "unique(n=9, seed=1)")
		have := prints(t, "local v = "+u+" print("+expression+")")
		must.Hold(t, have[0] == want, "%s is %s, want %s", expression, have[0], want)
	}
}

func TestWrongVectors(t *testing.T) {
	for expression, want := range map[string]string{
		"v + 1.5":                              "a vector + 1.5: an operand is 1.5, it takes a vector",
		"{} * v":                               "a table * a vector: an operand is a table",
		"v .. 'x'":                             `a vector .. "x": an operand is "x"`,
		"v + 2^60":                             "an operand is 1152921504606846976, it takes a vector, a whole number from 0 to 2^53",
		"v()":                                  "a vector is no function, and nothing to go over",
		"2 ^ v":                                "vectors and u64 have no powers",
		"u64(2) ^ 2":                           "vectors and u64 have no powers",
		"-v":                                   "vectors and u64 have no negative numbers; hint: 0 - x wraps around",
		"v < v":                                "vectors cannot be compared",
		"ipairs(v)":                            "ipairs takes a Lua table, not a vector; hint: a script never sees the numbers of a vector",
		"unpack(v)":                            "unpack takes a Lua table, not a vector",
		"table.concat(v)":                      "table.concat takes a Lua table, not a vector",
		"math.max(v, 1)":                       "math.max takes a number, not a vector",
		"math.floor(u64(7))":                   `math.floor takes a number, not u64"7"`,
		"string.len(v)":                        "string.len takes a text, not a vector",
		"(function() v[1] = 2 end)()":          "a vector cannot be changed",
		"v // 2":                               "there is no operator // in this Lua (5.1); hint: / of vectors and u64 rounds down",
		"v >> 2":                               "there is no operator >> in this Lua (5.1)",
		"v.take(5)":                            "v:take: called on 5: write v:take(...) with a vector and a colon",
		"v:take()":                             "v:take: count is missing",
		"v:take('5')":                          `v:take: count is "5", it takes a number`,
		"v:take(-1)":                           "v:take: count is -1",
		"v:take(1, 2)":                         "v:take: unexpected argument 2: it takes 1",
		"v:at()":                               "v:at: index is nil",
		"v:at(v + 1)":                          "v:at: the index can be as large as 9",
		"v:concat(5)":                          "",
		"gen.random{}:shuffle()":               "v:shuffle: a stream without an end cannot be shuffled",
		"gen.unique{ n = 5, count = 3 }":       "gen.unique: count is for vectors without an end, this one has 5 numbers; hint: :take(count)",
		"gen.random{ count = -1 }":             "gen.random.count is -1, it takes a whole number from 0 on",
		"gen.random({}, 5)":                    "gen.random is called with a table: it takes named arguments",
		"gen.random{ 5 }":                      "gen.random has 5 without a name, it takes name = value",
		"gen.choose{ first = v, p = 0.5 }":     "gen.choose: second is nil",
		"u64'18446744073709551616'":            "is not a 64-bit number",
		"u64(1.5)":                             "u64: 1.5 is not a 64-bit number",
		"u64(1) + 'x'":                         `u64"1" + "x": an operand is`,
		"u64(1) / 0":                           `u64"1" / 0: division by zero`,
		"u64(1) < 'x'":                         "attempt to compare",
		"u64(1) .. 'x'":                        `u64"1" .. "x": operands must be texts, numbers or vectors`,
		"gen.from(5, {})":                      "gen.from: it takes a function and a count",
		"gen.from(print, {})":                  "gen.from: n is missing",
		"gen.from(print, { n = 5, seed = 1 })": `gen.from: unknown field "seed"`,
		"gen.from(function(i) error('no') end, { n = 5 })": "test.lua:2: no",
	} {
		must.Say(t, must.Err(prepared(t, "local v = gen.unique{ n = 9 } print("+expression+")")), want, expression)
	}
}

func TestU64(t *testing.T) {
	for expression, want := range map[string]string{
		`u64"0xffffffffffffffff"`:                              "18446744073709551615",
		`u64"18446744073709551615" == u64"0xFFFFFFFFFFFFFFFF"`: "true",
		`u64"0xffffffffffffffff" + 2`:                          "1",
		`2 + u64"0xffffffffffffffff"`:                          "1",
		`u64(1) - 2`:                                           "18446744073709551615",
		`u64"0x100000001" * u64"0x100000001"`:                  "8589934593",
		`u64"0xffffffffffffffff" / 2`:                          "9223372036854775807",
		`u64"0xffffffffffffffff" % 10`:                         "5",
		`u64(1) < u64(2)`:                                      "true",
		`u64"0xffffffffffffffff" <= u64"0xfffffffffffffffe"`:   "false",
		`u64(5) ~= u64(5)`:                                     "false",
		`tostring(u64(5)) .. "x"`:                              "5x",
	} {
		have := prints(t, "print("+expression+")")
		must.Hold(t, have[0] == want, "%s is %s, want %s", expression, have[0], want)
	}
}

// gen.from contains the numbers that the function returned.
func TestFrom(t *testing.T) {
	s := does(t, `
		t:find(gen.from(function(i) return i * i end, { n = 4 }))
		t:update(gen.from(function(i) return i end, { n = 2 }), gen.from(function(i) return u64"0xffffffffffffffff" - i end, { n = 2 }))`)
	want := func(numbers ...uint64) string { return stream.Data("", numbers).String() }
	equal(t, "asked for", s.table.asked, []string{
		"find " + want(1, 4, 9, 16),
		"update " + want(1, 2) + " = " + want(1<<64-2, 1<<64-3),
	})
	if _, err := s.Done(nil); err != nil || len(s.table.notes) != 1 || !strings.HasPrefix(s.table.notes[0], "gen.from made 8 numbers in Lua, calls: 3, in ") {
		t.Errorf("%v, remarks %q", err, s.table.notes)
	}
}

func TestPrintSaysWhichScheme(t *testing.T) {
	var printed []string
	s := begun(t, "print('inspected') "+body("print('a', 1, nil)"), func(s *Script, _ *run.Setup) {
		s.Print = func(scheme, line string) { printed = append(printed, fmt.Sprintf("%s: %s", scheme, line)) }
	})
	must.OK(t, s.Prepare())
	equal(t, "printed", printed, []string{"bcht: inspected", "bcht: a\t1\tnil"})
	must.Get(prepared(t, "print(1)", func(s *Script, _ *run.Setup) { s.Print = nil }))(t)
}
