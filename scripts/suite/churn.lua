-- Churn: lookups, inserts of new keys and erases of old ones in the same batch.
-- A fifth of the operations change the table. No two of them have a key in common but finds, so answers do not depend
-- on the order; half of the erases miss. Schemes that cannot mix carry out one kind after the other.
options = {
  n = { 1e6, "pairs in the table, and operations in a batch", min = 100 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
shape = { n = opt.n, load = opt.load }
stages = { { name = "churn", settle = true } }
plots = { { x = "scheme", y = "mops", where = { op = "mix" }, title = "Mixed batches" } }

local keys, n = gen.keys{}, opt.n
local half = math.floor(n / 2)
local first, old, new, absent = keys:take(n), keys:slice(half, n), keys:slice(2 * n, n), keys:slice(3 * n, n)
local present = gen.hits{ of = keys:take(half), ratio = 1, n = n }
local asked = gen.choose{ first = present, second = absent, p = 0.9 }

function event(t)
  t:clear()
  t:fill(first, gen.sequential{})
  t:mix{ find = 0.8, insert = 0.1, erase = 0.1, values = gen.sequential{}, seed = "mix",
    keys = { find = asked, insert = new, erase = old } }
end
