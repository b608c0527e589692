-- A Dynamic Hash Table for the GPU, Figure 4: builds and searches over memory utilization.
-- The paper uses 2^22 pairs of 4+4 bytes on a Tesla K40c. Its command:
--
--   hashzoo run paper/slab-hash-bulk --device cuda:0 --set n=4M --set build=replace \
--     --schemes slab:hash=universal,1cht:exchange=always
--
-- With build=replace, as in the paper, slab hash checks whether keys are present already, and
-- the cuckoo table, which cannot, does not. The results then say that their builds are not
-- comparable; with build=insert they are.
--
-- Expect slab hash to be fastest from 19 to 60 percent, where nearly every bucket is one slab,
-- and to drop sharply at 65, an average slab count of 1, beyond which most buckets have two.
-- In the paper the best rates are 512 M/s for builds and 937 for searches. The load factor is
-- the paper's utilization: pairs over all memory, including pointers and unused slots; at
-- most 94 percent. Tables of other schemes have the same load factor.
options = {
  build = { "insert", "insert; or replace: upsert, in schemes that have it" },
  n = { 2 ^ 18, "pairs in the table, and keys in each batch of searches", min = 1 },
  runs = { 6, "measured batches of each kind", min = 1 },
}
axes = { load = { 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9 } }
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "search-all", batches = opt.runs, warmup = 1 },
  { name = "search-none", batches = opt.runs, warmup = 1 },
}
plots = { { x = "load", y = "mops", xlabel = "memory utilization", relative = "slab" } }

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
