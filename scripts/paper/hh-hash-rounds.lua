-- HH Hash, a Figure for its text on divergence: in which round a key is done.
-- Batches of the report go through the hash functions in rounds, and every lane takes part in
-- each round. About 70 percent of its elements found a spot in the first round, so most lanes
-- wait for the rest in the others. It does not say at which load. Its command:
--
--   hashzoo run paper/hh-hash-rounds --device cuda:0 --schemes fks --set n=16777216
--
-- A round is a slot that an operation tries. The columns "find round 1 %" and so on have the
-- share of lookups that end in each round, which is the share of keys in their first, second
-- and third slot; "insert round 1 %" that of inserts, which go on with the pair that they evict.
-- "lookups in step %" is the useful part of lookups of which all go through all rounds, as the
-- report's do; "lookups apart %" the lanes with work in ours, where a warp is done when the last
-- of its own lookups is. Expect fewer keys to be done in the first round as buckets get fuller.
-- The paper prints no numbers for it but the 70 percent.
options = {
  n = { 2 ^ 18, "pairs", min = 1 },
  bucket = { 512, "slots per bucket" },
  hashes = { 3, "hash functions of a bucket, which are the rounds", min = 2, max = 4 },
}
axes = { reg_load = { from = 5, to = 75, step = 10 } }
count = true
shape = {
  n = opt.n, load = opt.reg_load / 100,
  schemes = { fks = { bucket = opt.bucket, reg_load = opt.reg_load, hashes = opt.hashes } },
}
stages = { { name = "build", batches = 1 }, { name = "lookups", batches = 1 } }
thresholds = { "failed == 0", "missing == 0" }
plots = {
  { x = "reg_load", y = "find round 1 %", xlabel = "planned load of a bucket (%)", ylabel = "keys in their first slot (%)" },
  { x = "reg_load", y = "insert round 1 %", xlabel = "planned load of a bucket (%)", ylabel = "inserts done at once (%)" },
}

local i = gen.sequential{ count = opt.n }
local keys, values = i + 1, i * 3 + 5
local columns = {}

-- share enters in which rounds the operations of a batch ended; nothing with --count=false.
local function share(name, r)
  if r.probes_1 == nil then
    return
  end
  for round = 1, opt.hashes do
    columns[name .. " round " .. round .. " %"] = 100 * (r["probes_" .. round] or 0)
  end
end

function event(t, _, stage)
  if stage == "build" then
    share("insert", t:insert(keys, values))
    return
  end
  local r = t:find(keys)
  share("find", r)
  if r.probes_1 then
    columns["lookups in step %"] = 100 * r.probes / opt.hashes
    columns["lookups apart %"] = 100 * r.lanes_active / r.lanes_issued
  end
end

function done()
  return columns
end
