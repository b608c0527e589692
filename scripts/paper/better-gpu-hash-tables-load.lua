-- Better GPU Hash Tables, Figures 3 and 12: rates over load factors.
-- The paper has 50 million pairs of 4+4 bytes, a multiply-modulo hash function and a
-- TITAN V. Its command:
--
--   hashzoo run paper/better-gpu-hash-tables-load --device cuda:0 --set n=50M \
--     --schemes 1cht:hash=universal,bcht:bucket=8,hash=universal,bcht:hash=universal
--
-- Expect all rates to fall as tables fill, those of lookups of absent keys (0%) most:
-- they read all buckets of a key once most of them are full. In the paper buckets of 16
-- are fastest everywhere, being as large as a cache line. Tables without buckets are
-- slowest, and fail from a load factor of 0.88 on.
options = {
  n = { 1e7, "pairs in the table, and keys in each batch of lookups", min = 1 },
  runs = { 6, "measured batches of each kind", min = 1 },
}
axes = { load = { from = 0.6, to = 0.95, step = 0.05 } }
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "50%", batches = opt.runs, warmup = 1 },
  { name = "0%", batches = opt.runs, warmup = 1 },
}

local keys = gen.keys{}:take(opt.n)
local queries = {
  ["100%"] = gen.hits{ of = keys, ratio = 1, n = opt.n },
  ["50%"] = gen.hits{ of = keys, ratio = 0.5, n = opt.n },
  ["0%"] = gen.hits{ of = keys, ratio = 0, n = opt.n },
}

function event(t, i, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, gen.random{})
  else
    t:find(queries[stage])
  end
end
