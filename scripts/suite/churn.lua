-- Churn: lookups, inserts of new keys and erases of old ones in the same batch.
-- A fifth of the operations change the table. The keys of the three kinds are disjoint, so answers
-- do not depend on the order. Schemes that cannot mix carry out one kind after the other.
options = {
  n = { 1e6, "pairs in the table, and operations in a batch", min = 100 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
shape = { n = opt.n, load = opt.load }
stages = { { name = "churn", settle = true } }
plots = { { x = "scheme", y = "mops", where = { op = "mix" }, title = "Mixed batches" } }

local keys = gen.keys{}
local half = math.floor(opt.n / 2)
local first, asked = keys:take(opt.n), gen.hits{ of = keys:take(half), ratio = 0.9, n = opt.n }
local old, new = keys:slice(half, half):cycle():take(opt.n), keys:slice(opt.n, opt.n)

function event(t)
  t:clear()
  t:fill(first, gen.sequential{})
  t:mix{ find = 0.8, insert = 0.1, erase = 0.1, values = gen.sequential{}, seed = "mix",
    keys = { find = asked, insert = new, erase = old } }
end
