package record

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// How a batch is checked follows from its operations on the same key, and from the
// uncertainty that earlier batches left.
func TestChecks(t *testing.T) {
	const exact = CheckDigest
	for what, c := range map[string]struct {
		does string
		want []Check // of the batches after the first two, then of the table
	}{
		"finds":                         {`t:find(drawn)`, []Check{exact, exact}},
		"erases of one key":             {`t:erase(drawn) t:find(keys)`, []Check{exact, exact, exact}},
		"updates of different keys":     {`t:update(keys, gen.random{}) t:find(drawn)`, []Check{exact, exact, exact}},
		"updates of one key":            {`t:update(drawn, gen.random{}) t:find(keys) t:erase(keys:take(3))`, []Check{exact, CheckCounts, exact, CheckCounts}},
		"the same value":                {`t:update(drawn, 7) t:find(keys)`, []Check{exact, exact, exact}},
		"upserts of one key":            {`t:upsert(drawn % 1000, gen.random{}) t:find(drawn % 1000)`, []Check{exact, CheckCounts, CheckCounts}},
		"sums":                          {`t:add(drawn % 1000, gen.random{}) t:tally(drawn % 1000) t:find(drawn % 1000)`, []Check{exact, exact, exact, exact}},
		"sums and tallies at once":      {`t:mix{ add = 0.5, tally = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{exact, exact, exact}},
		"sums and the most":             {`t:mix{ add = 0.5, max = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"emptied":                       {`t:update(drawn, gen.random{}) t:clear() t:find(keys)`, []Check{exact, exact, exact}},
		"inserts of one key":            {`t:insert(drawn % 1000, 1) t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"finds and updates":             {`t:mix{ find = 0.5, update = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{CheckCounts, CheckCounts, CheckCounts}},
		"finds and the same updates":    {`t:mix{ find = 0.5, update = 0.5, keys = drawn, values = 3 } t:find(keys)`, []Check{CheckCounts, exact, exact}},
		"finds and erases":              {`t:mix{ find = 0.5, erase = 0.5, keys = drawn } t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"finds and erases of others":    {`t:mix{ find = 0.5, erase = 0.5, keys = keys:shuffle() } t:find(keys)`, []Check{exact, exact, exact}},
		"finds of one key among others": {`t:mix{ find = 0.5, insert = 0.5, n = 50, keys = { find = drawn, insert = all:slice(500, 50) }, values = 1 }`, []Check{exact, exact}},
	} {
		path := recorded(t, `shape = { n = 1000, load = 0.5 }
function prepare(t)
  local all = gen.keys{}
  local keys = all:take(100)
  local drawn = keys:at(gen.uniform{ n = 100, count = 200 })
  t:insert(keys:take(50), 1)
  t:insert(keys:skip(50), 2)
  `+c.does+`
end`, Recipe, "linear")
		r := must.Get(Open(path, false))(t)
		var got []Check
		for _, b := range r.Points[0].batches() {
			got = append(got, b.Check)
		}
		got = append(got, r.Points[0].Phases[0].Ended.Check)
		must.Match(t, got, slices.Concat([]Check{exact, exact}, c.want), what)
	}
}
