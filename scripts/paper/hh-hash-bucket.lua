-- HH Hash, Figure "Insertion / Deletion Throughput vs. Bucket Load": the size of buckets.
-- How large should the second-level cuckoo tables be? The paper's command would be
--
--   hashzoo run paper/hh-hash-bucket --device cuda:0 --schemes fks --set n=16777216
--
-- Expect small buckets to be slower and to take more memory: their fill varies more relative
-- to their size, so more of them are full and must be split, and each needs a descriptor. The
-- paper prefers large buckets, although they do not fit in the cache.
-- The paper prints no numbers for its figure: it is a curve.
options = {
  n = { 2 ^ 18, "pairs", min = 1 },
  reg_load = { 35, "planned load of a bucket, in percent of its slots", min = 5, max = 85 },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { bucket = { 8, 32, 128, 512, 2048, 8192 } }
shape = {
  n = opt.n, load = opt.reg_load / 100,
  schemes = { fks = { bucket = opt.bucket, reg_load = opt.reg_load } },
}
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "deletes", batches = opt.runs, warmup = 1 },
}
thresholds = { "failed == 0", "missing == 0" }
plots = {
  { x = "bucket", y = "mops", where = { operation = { "build insert", "deletes erase" } }, log = "x", xlabel = "slots per bucket" },
}

local i = gen.sequential{ count = opt.n }
local keys, values = i + 1, i * 3 + 5
local bytes

function event(t, _, stage)
  if stage == "build" or t:size() == 0 then
    t:clear()
    t:insert(keys, values)
    bytes = t:bytes()
  end
  if stage == "deletes" then
    t:erase(keys)
  end
end

function done(s)
  return { ["pairs a bucket"] = opt.bucket * opt.reg_load / 100, ["bytes a pair"] = bytes / opt.n }
end
