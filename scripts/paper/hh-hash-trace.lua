-- HH Hash, Figures "Throughput vs. Data Size" of inserts and deletes, and of lookups.
-- The trace (i + 1, 3i + 5) over sizes: the paper goes up to 2^24 pairs, and to 100 million,
-- on a TITAN X. Its command:
--
--   hashzoo run paper/hh-hash-trace --device cuda:0 --schemes fks --axis n=1024:16777216:*2
--
-- Expect every pair to be inserted, found and erased at all sizes, and rates that grow with
-- the batch size until it occupies the device; inserts and deletes are about equal, lookups
-- faster. In the paper 70 percent of the pairs go to their first slot, and the table takes 15
-- times the memory of its pairs: here that is the column "times the pairs". With --count, the
-- column "first slot %" has the keys that a lookup finds in their first slot.
options = {
  load = { 0.35, "pairs per slot", min = 0.01, max = 1 },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { n = { from = 2 ^ 10, to = 2 ^ 24, factor = 4 } }
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "lookups", batches = opt.runs, warmup = 1 },
  { name = "deletes", batches = opt.runs, warmup = 1 },
}
thresholds = { "failed == 0", "missing == 0" }
plots = {
  { x = "n", y = "mops", where = { operation = { "build insert", "lookups find", "deletes erase" } }, log = "x" },
  { x = "n", y = "times the pairs", log = "x", ylabel = "memory / bytes of the pairs" },
}

local i = gen.sequential{ count = opt.n }
local keys, values = i + 1, i * 3 + 5
local bytes
local first -- the fraction of lookups that took one probe; nil without --count

function event(t, _, stage)
  if stage == "build" or t:size() == 0 then
    t:clear()
    t:insert(keys, values)
    bytes = t:bytes()
  end
  if stage == "lookups" then
    first = t:find(keys).probes_1
  elseif stage == "deletes" then
    t:erase(keys)
  end
end

function done(s)
  local per_pair = bytes / opt.n
  local share = first and 100 * first
  return { ["bytes a pair"] = per_pair, ["times the pairs"] = per_pair / 8, ["first slot %"] = share }
end
