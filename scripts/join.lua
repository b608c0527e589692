-- A hash join: build a table from one side, probe it with the other one.
-- Values are row numbers. A key is in `multiplicity` rows of the build side; with more than
-- one, the table must keep several pairs of a key; lists of uneven length take spare memory
-- (slab:spare=200). Probe keys may be skewed, and only a part of them has a partner. Every
-- batch builds the table and joins, so both are measured. Or give it two tables of your own:
-- hashzoo run join --file left=orders.csv --file right=lines.parquet --set on=order
options = {
  left = { "", "a table of your own as the build side, instead of generated rows", file = true },
  right = { "", "the table of your own that probes it", file = true },
  on = { "", "the column of both tables by which rows are partners, or several: a,b" },
  right_on = { "", "its name in the right table, if that is another" },
  format = { "", "format of both files, if their extensions do not say it (docs/data.md)" },
  build = { 1e6, "rows of the build side", min = 1 },
  probe = { 0, "rows of the probe side; 0: as many as give about four rows for each row of the build side", min = 0 },
  match = { 0.8, "fraction of the probe rows that have a partner", min = 0, max = 1 },
  skew = { 0, "of the probe keys: 0 is uniform, 0.99 is YCSB's zipfian", min = 0, max = 2 },
  gives = { "rows", "what the join gives: rows, every pair of partners; or one, a partner of each probe row" },
  runs = { 6, "measured joins", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
  pair = { "", "bytes of a key and a value: k4v4 unless files are given, then k8v8" },
}
local given = opt.left ~= ""
if given ~= (opt.right ~= "") then
  error("left and right are the two tables of a join: both are files, or none; hint: --file left=PATH --file right=PATH", 0)
end
if not given and opt.on .. opt.right_on .. opt.format ~= "" then
  error("on, right_on and format are about files; hint: --file left=PATH --file right=PATH", 0)
end
if not ({ rows = true, one = true })[opt.gives] then
  error("gives is " .. opt.gives .. ", allowed are rows, one", 0)
end
local pair = opt.pair ~= "" and opt.pair or given and "k8v8" or "k4v4"
local build, probe, different

if given then
  local function side(path, column)
    return gen.file(path, { column = column, format = opt.format, width = tonumber(pair:match("k(%d)")) })
  end
  build = side(opt.left, opt.on)
  probe = side(opt.right, opt.right_on ~= "" and opt.right_on or opt.on)
  different = build:distinct()
  plots = { { x = "scheme", y = "rows", ylabel = "million rows of the join a second", title = "Join" } }
else
  axes = { multiplicity = { 1 } }
  plots = {
    { x = "multiplicity", y = "mops", log = "xy", where = { op = "insert" }, title = "Build: rows a second" },
    { x = "multiplicity", y = "rows", log = "xy", ylabel = "million rows of the join a second", title = "Join" },
  }
  different = math.max(1, math.floor(opt.build / opt.multiplicity))
  local rows = opt.probe
  if rows == 0 then rows = math.ceil(4 * different) end

  local keys = gen.keys{}
  local partners, others = keys:take(different), keys:skip(different)
  build = partners:at((gen.sequential{ count = opt.build }:shuffle() / opt.multiplicity) % different)
  local partner = partners:at(gen.zipfian{ n = different, theta = opt.skew })
  local none = others:at(gen.uniform{ n = different })
  probe = gen.choose{ first = partner, second = none, p = opt.match }:take(rows)
end
shape = { n = #build, load = opt.load, pair = pair }
stages = { batches = opt.runs, warmup = 1 }
contents = { value = "left_row", row = "right_row" } -- columns of --contents that are of no file

function prepare(t)
  if given then t:note(string.format("%d rows with %d keys, probed by %d rows", #build, different, #probe)) end
end

function event(t)
  if different < #build and not t:has("find_all") then
    error(string.format("%d rows of the build side have %d keys: it takes a scheme with find_all, which keeps several pairs of a key",
      #build, different), 0)
  end
  t:clear()
  t:insert(build, gen.sequential{})
  if opt.gives == "rows" then t:retrieve(probe) else t:find(probe) end
end

function done(s)
  if opt.gives == "one" then return {} end
  return { rows = s.retrieve.found / s.retrieve.ms / 1000, ["rows joined"] = s.retrieve.found / s.retrieve.batches }
end
