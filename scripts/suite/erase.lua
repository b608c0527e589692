-- Erase churn: a nearly full table loses its oldest pairs and gets as many new ones, again and again.
-- Erased slots must be reused; a scheme that leaves markers gets slower, or is flushed. The lookups
-- at the end show what the markers cost.
options = {
  n = { 1e6, "pairs in the table", min = 100 },
  load = { 0.85, "load factor", min = 0.01, max = 1 },
  part = { 0.1, "fraction of the pairs that a round replaces", min = 0.001, max = 1 },
  rounds = { 5, "rounds", min = 1 },
}
shape = { n = opt.n, load = opt.load }
stages = { { name = "rounds", settle = true } }
plots = { { x = "scheme", y = "mops", title = "Replacing the oldest pairs" } }

local keys = gen.keys{} -- in order of arrival
local each = math.max(1, math.floor(opt.n * opt.part))
local first, left = keys:take(opt.n), keys:slice(each * opt.rounds, opt.n)
local asked = gen.hits{ of = left, ratio = 0.5, n = opt.n }

function event(t)
  t:clear()
  t:fill(first, gen.sequential{})
  for i = 0, opt.rounds - 1 do
    t:erase(keys:slice(each * i, each))
    if t:has("flush") then t:flush() end
    t:insert(keys:slice(opt.n + each * i, each), i)
  end
  t:find(asked)
end
