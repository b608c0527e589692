-- A hash join: build a table from one side, probe it with the other one.
-- Values are row numbers. A key is in `multiplicity` rows of the build side; with more than
-- one, the table must keep several pairs of a key; lists of uneven length take spare memory
-- (slab:spare=200). Probe keys may be skewed, and only a part of them has a partner. Every
-- batch builds the table and joins, so both are measured.
options = {
  build = { 1e6, "rows of the build side", min = 1 },
  probe = { 0, "rows of the probe side; 0: as many as give about four rows for each row of the build side", min = 0 },
  match = { 0.8, "fraction of the probe rows that have a partner", min = 0, max = 1 },
  skew = { 0, "of the probe keys: 0 is uniform, 0.99 is YCSB's zipfian", min = 0, max = 2 },
  gives = { "rows", "what the join gives: rows, every pair of partners; or one, a partner of each probe row" },
  runs = { 6, "measured joins", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4, k8v8, or others that the schemes support" },
}
axes = { multiplicity = { 1 } }
shape = { n = opt.build, load = opt.load, pair = opt.pair }
stages = { batches = opt.runs, warmup = 1 }
plots = {
  { x = "multiplicity", y = "mops", log = "xy", where = { op = "insert" }, title = "Build: rows a second" },
  { x = "multiplicity", y = "rows", log = "xy", ylabel = "million rows of the join a second", title = "Join" },
}

if not ({ rows = true, one = true })[opt.gives] then
  error("gives is " .. opt.gives .. ", allowed are rows, one", 0)
end
local different = math.max(1, math.floor(opt.build / opt.multiplicity))
local rows = opt.probe
if rows == 0 then rows = math.ceil(4 * different) end

local keys = gen.keys{}
local partners, others = keys:take(different), keys:skip(different)
local build = partners:at((gen.sequential{ count = opt.build }:shuffle() / opt.multiplicity) % different)
local partner = partners:at(gen.zipfian{ n = different, theta = opt.skew })
local none = others:at(gen.uniform{ n = different })
local probe = gen.choose{ first = partner, second = none, p = opt.match }:take(rows)

function event(t)
  if opt.multiplicity > 1 and not t:has("find_all") then
    error("multiplicity is " .. opt.multiplicity .. ": it takes a scheme with find_all, which keeps several pairs of a key", 0)
  end
  t:clear()
  t:insert(build, gen.sequential{})
  if opt.gives == "rows" then t:retrieve(probe) else t:find(probe) end
end

function done(s)
  if opt.gives == "one" then return {} end
  return { rows = s.retrieve.found / s.retrieve.ms / 1000, ["rows joined"] = s.retrieve.found / s.retrieve.batches }
end
