-- DyCuckoo, Figure 9 and Tables 4 to 8: rates and failed inserts over load factors.
-- The tables are not resized. The paper uses 50 million pairs (RAND: 100 million) and a
-- million lookups on a GTX 1080. Its table has a place for each key in every subtable, and one
-- elected lane of a warp takes locks. Its command:
--
--   hashzoo run paper/dycuckoo-static --device cuda:0 --set n=50M \
--     --schemes dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated \
--     --schemes linear:bucket=1,megakv:bucket=8,1cht:exchange=always
--
-- To see what the voters gain, compare coordination=spin, in which a warp waits for a lock that
-- is taken, and together, our default, in which all lanes try their locks at once.
--
-- Expect the column "failed %" to be near zero for DyCuckoo at all load factors: at most 4e-6
-- percent on four of five data sets in the paper, 0 here. In the paper Mega-KV fails for 0.4
-- percent at a load factor of 0.75 and for 2 to 4 percent at 0.95. Inserts get slower as the
-- table fills, lookups hardly.
options = {
  n = { 1e6, "pairs", min = 1 },
  lookups = { 1e6, "keys to look up", min = 1 },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { load = { 0.75, 0.8, 0.85, 0.9, 0.95 } }
shape = { n = opt.n, load = opt.load, schemes = { dycuckoo = { resize = "manual" } } }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "lookups", batches = opt.runs, warmup = 1 },
}
plots = {
  { x = "load", y = "mops" },
  { x = "load", y = "failed %", ylabel = "failed inserts (%)" },
}

local keys = gen.keys{}:take(opt.n)
local asked, failed = 0, 0

function event(t, _, stage)
  if stage == "lookups" then
    t:find(gen.hits{ of = keys, ratio = 1, n = opt.lookups })
    return
  end
  t:clear{ reseed = true }
  local r = t:insert(keys, gen.random{})
  asked, failed = asked + r.n, failed + r.failed
end

function done()
  return { ["failed %"] = 100 * failed / asked }
end
