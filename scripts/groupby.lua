-- Group by: each row of a column changes the aggregate of its group.
-- The first row of a group brings it in. How many groups there are, and how evenly the rows
-- are spread over them, is often not known in advance, so the axes go over both.
options = {
  rows = { 1e6, "rows in the column", min = 1 },
  aggregate = { "add", "what a row does to its group: add, min, max or tally" },
  load = { 0.7, "load factor when all groups are in", min = 0.01, max = 1 },
  runs = { 10, "measured aggregations of the column", min = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4, k8v8, or others that the schemes support" },
}
axes = {
  groups = { 1, 10, 1000, 1e5 },
  skew = { "uniform", "zipfian", "half" }, -- half: one group has half of the rows
}
-- Room for a few groups more: before it knows that another row has brought a group in, a
-- row may take memory for it (chained).
shape = { n = math.max(opt.groups, 1000), load = opt.load, pair = opt.pair }
stages = { batches = opt.runs, warmup = 1 }
plots = {
  { x = "groups", y = "mops", log = "x", where = { skew = "uniform" }, title = "Rows spread evenly" },
  { x = "groups", y = "mops", log = "x", where = { skew = "zipfian" }, title = "Rows of a zipfian distribution" },
  { x = "groups", y = "mops", log = "x", where = { skew = "half" }, title = "Half of the rows in one group" },
}

local draw = {
  uniform = function() return gen.uniform{ n = opt.groups } end,
  zipfian = function() return gen.zipfian{ n = opt.groups } end,
  half = function() return gen.choose{ first = 0, second = gen.uniform{ n = opt.groups }, p = 0.5 } end,
}
local drawn = draw[opt.skew] or error("skew is " .. opt.skew .. ", allowed are uniform, zipfian, half", 0)
if not ({ add = true, min = true, max = true, tally = true })[opt.aggregate] then
  error("aggregate is " .. opt.aggregate .. ", allowed are add, min, max, tally", 0)
end

local column = gen.keys{}:take(opt.groups):at(drawn():take(opt.rows))
local values = gen.uniform{ n = 1000 }

function event(t)
  t:clear()
  if opt.aggregate == "tally" then
    t:tally(column)
  else
    t[opt.aggregate](t, column, values)
  end
end
