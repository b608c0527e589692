-- Better GPU Hash Tables, Figures 4 and 13: rates over sizes at a fixed load factor.
-- The paper has 4+4 bytes and load factors of 0.8 and 0.9 on a TITAN V. Its command:
--
--   hashzoo run paper/better-gpu-hash-tables-size --device cuda:0 --axis n=1M:64M:*2 \
--     --schemes 1cht:hash=universal,bcht:bucket=8,hash=universal,bcht:hash=universal
--
-- Expect rates that are high while the table fits the last cache (on the paper's GPU
-- 589 thousand pairs) and hardly change any more once it does not.
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
