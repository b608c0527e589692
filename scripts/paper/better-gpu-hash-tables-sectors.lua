-- Better GPU Hash Tables, Figure 15: 32-byte sectors of memory per key.
-- The paper's profiler counted what its GPU moved to and from its memory; here the kernels count
-- the sectors that they ask for, which is the same on every machine. The paper uses 200 million
-- pairs and the same bucket of 16 slots in all bucketed tables; all lookups find their key. Its
-- command:
--
--   hashzoo run paper/better-gpu-hash-tables-sectors --device cuda:0 --set n=200M \
--     --schemes 1cht:exchange=always,bcht:bucket=16,looks=1,bp2ht:bucket=16,room=buckets \
--     --schemes iht:bucket=16,threshold=81,erased=unused,room=buckets
--
-- Expect a lookup to take four sectors for each bucket that it reads, so 4 to 12 in bcht and
-- iht, 4 to 8 in bp2ht, and one for each slot in 1cht (the paper's memory moves two). An insert
-- takes one more in bcht and iht, for the pair that it writes, and in bp2ht a whole bucket on
-- top, because it always reads two.
-- The paper prints no numbers for its figure but the least and the most.
options = { n = { 1e6, "pairs in the table, and keys to look up", min = 1 } }
axes = { load = { from = 0.6, to = 0.8, step = 0.05 } }
count = true
shape = { n = opt.n, load = opt.load }
stages = { { name = "build", batches = 1 }, { name = "lookup", batches = 1 } }
plots = { { x = "load", y = "sectors", ylabel = "sectors per key" } }

local keys = gen.keys{}:take(opt.n)

function event(t, _, stage)
  if stage == "build" then
    t:insert(keys, gen.random{})
  else
    t:find(keys:shuffle())
  end
end
