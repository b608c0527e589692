-- A hash join: build a table from one side, probe it with the other one.
-- A key is in `multiplicity` rows of the build side; four in five rows of the other side have
-- partners. With one row a key, the probe asks for that; with more, for all of them.
options = {
  n = { 1e6, "rows of the build side", min = 8 },
  multiplicity = { 1, "rows of a key on the build side", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
local one = opt.multiplicity == 1
-- Lists of several rows a key take spare memory.
shape = { n = opt.n, load = opt.load, schemes = not one and { slab = { spare = 200 } } or nil }
stages = { { name = "join", settle = true } }
plots = { { x = "scheme", y = "mops", title = "A join" } }

local different = math.floor(opt.n / opt.multiplicity)
local rows = different * opt.multiplicity
local keys = gen.keys{}:take(different)
local build = keys:at(gen.sequential{ count = rows }:shuffle("rows") / opt.multiplicity % different)
local probe = gen.hits{ of = keys, ratio = 0.8, n = 4 * different }

function event(t)
  if not one and not t:has("find_all") then t:find_all(keys) end -- leaves the scheme out
  t:clear()
  t:insert(build, gen.sequential{})
  if one then t:find(probe) else t:retrieve(probe) end
end
