-- A Dynamic Hash Table for the GPU, Figure 6: pairs that come in batches, inserted or rebuilt.
-- Batches of 32k, 64k and 128k come until the table has 2 million pairs. A dynamic table
-- inserts them (how=insert); a static one is built from scratch for each batch (how=rebuild).
-- Both end at the same memory utilization. The paper's command:
--
--   hashzoo run paper/slab-hash-incremental --device cuda:0 --set n=2M --set build=replace \
--     --schemes slab:hash=universal,1cht:exchange=always
--
-- With build=replace, as in the paper, slab hash checks whether keys are present already, and
-- the cuckoo table, which cannot, does not. The results then say that they are not comparable;
-- with build=insert they are.
--
-- The sum of the times matters: in the paper, slab hash with inserts is 6.4, 10.4 and 17.3
-- times as fast as a rebuilt cuckoo table, for batches of 128k, 64k and 32k.
options = {
  build = { "insert", "insert; or replace: upsert, in schemes that have it" },
  n = { 2 ^ 20, "pairs at the end", min = 1 },
  load = { 0.65, "memory utilization at the end", min = 0.01, max = 0.93 },
}
axes = { batch = { 2 ^ 15, 2 ^ 16, 2 ^ 17 }, how = { "insert", "rebuild" } }
shape = { n = opt.n, load = opt.load }
stages = { batches = math.ceil(opt.n / opt.batch) }
plots = {
  { x = "batch", y = "total ms", group = { "scheme", "how" }, log = "xy", xlabel = "pairs in a batch", ylabel = "total time (ms)" },
  {
    x = "batch", y = "M pairs/s", group = { "scheme", "how" }, log = "x", xlabel = "pairs in a batch", ylabel = "pairs per time",
    relative = { scheme = "1cht", how = "rebuild" },
  },
}

local keys = gen.keys{}:take(opt.n)
local total = 0

function event(t, i)
  local there = (i - 1) * opt.batch
  local each = math.min(opt.batch, opt.n - there)
  local new = keys:slice(there, each)
  if opt.how == "rebuild" then
    t:clear()
    new = keys:take(there + each)
  end
  local build = opt.build == "replace" and t:has("upsert") and "upsert" or "insert"
  total = total + t[build](t, new, gen.random{}).ms
end

function done(s)
  return { ["total ms"] = total, ["M pairs/s"] = opt.n / total / 1000 }
end
