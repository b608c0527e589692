-- HH Hash, Figure "Insertion Throughput vs. REG_LOAD": the planned load of buckets.
-- Memory against time: fuller buckets take less memory and more evictions. Its command:
--
--   hashzoo run paper/hh-hash-regload --device cuda:0 --schemes fks --set n=16777216
--
-- Expect inserts and lookups to get slower as buckets get fuller, more and more from 60
-- percent on, and also where the table is so empty that its memory size matters. The paper
-- chooses 35 percent. Add --count for probes (slots read or written) and evictions per
-- operation, and for "first slot %": the keys that a lookup finds in their first slot. Beyond
-- 75 percent some buckets find no layout, and the table moves to more of them: the point would
-- be of a table with another load.
-- The paper prints no numbers for its figure: it is a curve.
options = {
  n = { 2 ^ 18, "pairs", min = 1 },
  bucket = { 512, "slots per bucket" },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { reg_load = { from = 5, to = 75, step = 5 } }
shape = {
  n = opt.n, load = opt.reg_load / 100,
  schemes = { fks = { bucket = opt.bucket, reg_load = opt.reg_load } },
}
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "lookups", batches = opt.runs, warmup = 1 },
}
thresholds = { "failed == 0", "missing == 0" }
plots = { { x = "reg_load", y = "mops", xlabel = "planned load of a bucket (%)" } }

local i = gen.sequential{ count = opt.n }
local keys, values = i + 1, i * 3 + 5
local first -- the fraction of lookups that took one probe; nil without --count

function event(t, _, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, values)
  else
    first = t:find(keys).probes_1
  end
end

function done(s)
  return { ["times the pairs"] = s.bytes / s.size / 8, ["first slot %"] = first and 100 * first }
end
