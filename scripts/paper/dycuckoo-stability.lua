-- DyCuckoo, Figure 15: how evenly the first 100 batches of updates run.
-- The paper uses batches of a million inserts and 0.4 million erases. Its command, with its own
-- table and after it Mega-KV and linear probing, which double as a whole:
--
--   hashzoo run paper/dycuckoo-stability --device cuda:0 --set batch=1M \
--     --schemes dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated \
--     --schemes megakv:bucket=8,linear:bucket=1
--
-- Expect no peak where a subtable is doubled. The column "longest batch" is the device time of
-- the longest batch after the first ten, in multiples of their median. One resize moves at
-- most the pairs of one subtable; "resizes" counts them.
-- The paper prints no numbers for its figure: it is a curve.
options = {
  batch = { 2 ^ 12, "inserts in a batch", min = 16 },
  batches = { 100, "batches", min = 20 },
  r = { 0.4, "erases per insert", min = 0, max = 1 },
}
local bounds = { resize = "auto", alpha = 40, beta = 90 }
shape = { n = opt.batch, load = 0.9, schemes = { megakv = bounds, linear = bounds } }
stages = { batches = opt.batches }
thresholds = { "failed == 0" }
plots = { { x = "batch", y = "ms" } }

local keys = gen.unique{ n = opt.batches * opt.batch }
local times, resizes, slots = {}, 0, 0

function event(t, i)
  slots = i == 1 and t:capacity() or slots
  local all = keys:slice((i - 1) * opt.batch, opt.batch)
  local ms = t:insert(all, all).ms + t:erase(all:take(math.floor(opt.r * opt.batch))).ms
  if i > 10 then
    table.insert(times, ms)
  end
  resizes = resizes + (t:capacity() ~= slots and 1 or 0)
  slots = t:capacity()
end

function done()
  table.sort(times)
  return { resizes = resizes, ["longest batch"] = times[#times] / times[math.ceil(#times / 2)] }
end
