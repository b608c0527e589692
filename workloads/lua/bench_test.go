package lua

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// heavy is a script whose events do more than most scripts.
const heavy = `
options = { n = { 1e6, "pairs" }, hits = 0.5 }
shape = { n = opt.n, load = 0.8 }
stages = { batches = 10 }
function prepare(t)
  keys = gen.unique{ n = opt.n }
  t:insert(keys, keys * 2)
end
function event(t, i)
  local found = t:find(gen.hits{ of = keys, ratio = opt.hits, n = opt.n })
  local part = keys:slice((i * 1000) % (opt.n / 2), 1000)
  local new = keys + opt.n * i
  if found.missing > 2 * opt.n or t:load_factor() < 0 then error("cannot be") end
  t:erase(part)
  t:insert(part, part * 3 + 1)
  t:mix{ find = 0.5, update = 0.3, erase = 0.1, insert = 0.1, values = 7,
         keys = { find = keys, update = keys, erase = keys:shuffle(), insert = new % 2^32 } }
  for k = 1, 20 do last = (last or 0) + math.random(k) end
end
`

// BenchmarkEvent measures the Lua side of one event with four batches that take no time. A
// real run with batches of 10 ms spends 40 ms on the device; one percent of that is 400 us.
func BenchmarkEvent(b *testing.B) {
	s, err := start1(b, "last = 0\n"+heavy)
	if err == nil {
		err = s.Prepare()
	}
	must.OK(b, err)
	s.table.forgets = true
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Event(uint64(i+1), "run"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N)/40e-3, "percent-of-10ms-batches")
}

// BenchmarkStart measures the start of an instance: its state and the script's top level.
func BenchmarkStart(b *testing.B) {
	s := inspected(b, "last = 0\n"+heavy)
	table := &fake{config: config(b, "bcht")}
	b.ReportAllocs()
	for b.Loop() {
		i, err := s.Start(run.Setup{Seed: 7, Config: table.config}, table)
		must.OK(b, err)
		i.Close()
	}
}
