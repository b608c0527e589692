-- Group by: each row of a column changes the aggregate of its group.
-- The first row of a group brings it in. How many groups there are, and how evenly the rows
-- are spread over them, is often not known in advance, so the axes go over both; or give it
-- a table of your own: hashzoo run groupby --file trips.parquet --set key=zone --set value=fare
options = {
  data = { "", "a table whose rows are grouped, instead of generated ones", file = true },
  key = { "", "the column of data that says the group, or several: a,b" },
  value = { "", "the column of data that is aggregated; without one, rows are counted" },
  decimals = { 0, "digits after the point of values that are floating-point numbers", min = 0, max = 18 },
  format = { "", "format of data, if its extension does not say it (docs/data.md)" },
  rows = { 1e6, "rows to generate", min = 1 },
  aggregate = { "add", "what a row does to its group: add, min, max or tally" },
  load = { 0.7, "load factor when all groups are in", min = 0.01, max = 1 },
  runs = { 10, "measured aggregations of the column", min = 1 },
  pair = { "", "bytes of a key and a value: k4v4 unless data are given, then k8v8" },
}
if not ({ add = true, min = true, max = true, tally = true })[opt.aggregate] then
  error("aggregate is " .. opt.aggregate .. ", allowed are add, min, max, tally", 0)
end

local given = opt.data ~= ""
if not given and opt.key .. opt.value .. opt.format ~= "" then
  error("key, value and format are about columns of a file; hint: --file PATH gives one", 0)
end
local pair = opt.pair ~= "" and opt.pair or given and "k8v8" or "k4v4"
local column, values, groups

if given then
  column, values = gen.file(opt.data, { column = opt.key, format = opt.format, width = tonumber(pair:match("k(%d)")) },
    opt.value ~= "" and { column = opt.value, as = "integer", width = tonumber(pair:match("v(%d)")), decimals = opt.decimals } or nil)
  groups = column:distinct()
  plots = { { x = "scheme", y = "mops", title = "Rows of the table" } }
else
  axes = {
    groups = { 1, 10, 1000, 1e5 },
    skew = { "uniform", "zipfian", "half" }, -- half: one group has half of the rows
  }
  groups = opt.groups
  plots = {
    { x = "groups", y = "mops", log = "x", where = { skew = "uniform" }, title = "Rows spread evenly" },
    { x = "groups", y = "mops", log = "x", where = { skew = "zipfian" }, title = "Rows of a zipfian distribution" },
    { x = "groups", y = "mops", log = "x", where = { skew = "half" }, title = "Half of the rows in one group" },
  }
end
-- Room for a few groups more: a table of a handful of slots says little about others.
shape = { n = math.max(groups, 1000), load = opt.load, pair = pair }
stages = { batches = opt.runs, warmup = 1 }

if not given then
  local draw = {
    uniform = function() return gen.uniform{ n = groups } end,
    zipfian = function() return gen.zipfian{ n = groups } end,
    half = function() return gen.choose{ first = 0, second = gen.uniform{ n = groups }, p = 0.5 } end,
  }
  local drawn = draw[opt.skew] or error("skew is " .. opt.skew .. ", allowed are uniform, zipfian, half", 0)
  column = gen.keys{}:take(groups):at(drawn():take(opt.rows))
  values = gen.uniform{ n = 1000 }
end

function prepare(t)
  if given then t:note(string.format("%d rows, %d groups", #column, groups)) end
end

function event(t)
  t:clear()
  if opt.aggregate == "tally" or not values then
    t:tally(column)
  else
    t[opt.aggregate](t, column, values)
  end
end
