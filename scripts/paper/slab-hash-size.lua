-- A Dynamic Hash Table for the GPU, Figure 5: rates over numbers of pairs.
-- Memory utilization is 60 percent, an average slab count of 0.7. Its command:
--
--   hashzoo run paper/slab-hash-size --device cuda:0 --axis n=64k:128M:*2 --set build=replace \
--     --schemes slab:hash=universal,1cht:exchange=always
--
-- With build=replace, as in the paper, slab hash checks whether keys are present already, and
-- the cuckoo table, which cannot, does not. The results then say that their builds are not
-- comparable; with build=insert they are.
--
-- Expect the cuckoo table to gain most from the cache while the table is small. In the paper,
-- over all sizes, it is 1.19 times as fast as slab hash for builds and for lookups of keys that
-- are present, and 0.94 times for absent keys. Probes per operation, with --count, are the
-- same at every size.
options = {
  build = { "insert", "insert; or replace: upsert, in schemes that have it" },
  load = { 0.6, "memory utilization", min = 0.01, max = 0.93 },
  runs = { 6, "measured batches of each kind", min = 1 },
}
axes = { n = { from = 2 ^ 16, to = 2 ^ 22, factor = 4 } }
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "search-all", batches = opt.runs, warmup = 1 },
  { name = "search-none", batches = opt.runs, warmup = 1 },
}
plots = { { x = "n", y = "mops", log = "x", xlabel = "pairs in the table", relative = "slab" } }

local keys = gen.keys{}:take(opt.n)
local queries = {
  ["search-all"] = gen.hits{ of = keys, ratio = 1, n = opt.n },
  ["search-none"] = gen.hits{ of = keys, ratio = 0, n = opt.n },
}

function event(t, i, stage)
  if stage ~= "build" then
    t:find(queries[stage])
    return
  end
  t:clear()
  local build = opt.build == "replace" and t:has("upsert") and "upsert" or "insert"
  t[build](t, keys, gen.random{})
end
