-- Better GPU Hash Tables, Figures 3, 6, 9 and 12, Tables III to V: rates over load factors.
-- The paper uses 50 million pairs of 4+4 bytes, a multiply-modulo hash function and a TITAN V.
-- Its command for Figure 12, with the configurations that it recommends:
--
--   hashzoo run paper/better-gpu-hash-tables-load --device cuda:0 --set n=50M \
--     --schemes 1cht:exchange=always,hash=universal,bcht:bucket=16,looks=1,hash=universal \
--     --schemes bp2ht:room=buckets,hash=universal \
--     --schemes iht:threshold=80,erased=unused,room=buckets,hash=universal
--
-- Figures 3, 6 and 9 each show one of these with all its bucket sizes: bcht:bucket=8 and so
-- on, bp2ht:bucket=16 and 32, iht:bucket=16,threshold=20 up to 80.
--
-- Expect the lookup rates of absent keys (0%) to fall most as bcht and 1cht fill up: they read
-- all buckets of a key once most of them are full. Rates of bp2ht do not depend on the load
-- factor: it always reads two buckets per insert and per absent key; iht reads three per
-- absent key. In the paper bcht, whose buckets of 16 match a cache line, is fastest in
-- everything. For inserts iht comes next, then bp2ht, which passes 1cht from a load factor of
-- 0.72 on; for absent keys 1cht comes next, then bp2ht and iht. Of the stable tables iht has
-- the fastest inserts and bp2ht the fastest lookups; buckets of 16 are faster than those of
-- 32 but fill only to 0.82. Some inserts fail from 0.88 on in 1cht, from 0.92 on in bp2ht and
-- iht.
--
-- Tables III to V have the means over load factors. A script sees one point of its axes, so the means
-- are made of the results: by `hashzoo check --part papers`, beside those of the paper.
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
plots = { { x = "load", y = "mops", relative = "1cht" } }

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
