-- Small batches: a thousand lookups at a time in a large table, as a server gets them.
-- What counts is the time from a batch's start to its end, most of which is not the table's.
options = {
  n = { 1e6, "pairs in the table", min = 1 },
  batch = { 1000, "keys in a batch", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
shape = { n = opt.n, load = opt.load }
stages = { { name = "lookups", settle = true } }
plots = { { x = "scheme", y = "ms", title = "A small batch" } }

local keys = gen.keys{}:take(opt.n)
local asked = gen.hits{ of = keys, ratio = 0.5, n = opt.batch }

function prepare(t)
  t:insert(keys, gen.sequential{})
end

function event(t)
  t:find(asked)
end
