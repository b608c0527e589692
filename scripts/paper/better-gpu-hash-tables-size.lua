-- Better GPU Hash Tables, Figures 4, 7, 10 and 13: rates over sizes at a fixed load factor.
-- The paper uses 4+4 bytes and load factors of 0.8 and 0.9 on a TITAN V. Its command for
-- Figure 13, with the configurations that it recommends:
--
--   hashzoo run paper/better-gpu-hash-tables-size --device cuda:0 --axis n=1M:64M:*2 \
--     --schemes 1cht:exchange=always,hash=universal,bcht:bucket=16,looks=1,hash=universal \
--     --schemes bp2ht:room=buckets,hash=universal \
--     --schemes iht:threshold=80,erased=unused,room=buckets,hash=universal
--
-- Figures 4, 7 and 10 each show one of these with all its bucket sizes: bcht:bucket=8 and so
-- on, bp2ht:bucket=16 and 32, iht:bucket=16 and 32 (16 at 0.8 only).
--
-- Expect high rates while the table fits in the last-level cache (589 thousand pairs on the
-- paper's GPU), and nearly constant rates beyond.
options = { runs = { 6, "measured batches of each kind", min = 1 } }
axes = {
  load = { 0.8, 0.9 },
  n = { from = 2 ^ 14, to = 2 ^ 24, factor = 4 },
}
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "50%", batches = opt.runs, warmup = 1 },
  { name = "0%", batches = opt.runs, warmup = 1 },
}
plots = { { x = "n", y = "mops", log = "x", relative = "1cht" } }

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
