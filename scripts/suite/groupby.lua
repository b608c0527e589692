-- Group by: each row of a column adds to the sum of its group.
options = {
  rows = { 1e6, "rows of the column", min = 1 },
  groups = { 1000, "groups", min = 1 },
  skew = { 0, "of the groups: 0 is uniform, 0.99 is YCSB's zipfian", min = 0, max = 2 },
  load = { 0.7, "load factor when all groups are in", min = 0.01, max = 1 },
}
shape = { n = math.max(opt.groups, 1000), load = opt.load } -- a table of a handful of slots says little
stages = { { name = "sum", settle = true } }
plots = { { x = "scheme", y = "mops", title = "Rows of the column" } }

local drawn = gen.zipfian{ n = opt.groups, theta = opt.skew }:take(opt.rows)
local column, values = gen.keys{}:take(opt.groups):at(drawn), gen.uniform{ n = 1000 }:take(opt.rows)

function event(t)
  t:clear()
  t:add(column, values)
end
