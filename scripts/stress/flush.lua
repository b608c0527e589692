-- Delete most pairs of a table, then flush it: what markers cost, and what a flush gains.
-- For schemes whose erases leave markers until a flush. Slab hash with 4 million pairs:
--
--   hashzoo run stress/flush --device cuda:0 --set n=4M --count --schemes slab
--
-- Expect lookups of the remaining pairs, which came last, to be as slow after the deletions
-- as before, and to take hardly more than one probe after the flush has moved the pairs into
-- as few slabs as possible. The results say how many slabs were freed; later inserts reuse
-- them.
options = {
  n = { 2 ^ 18, "initial pairs in the table", min = 1 },
  left = { 0.05, "fraction of the pairs that is left", min = 0.0001, max = 1 },
  runs = { 6, "measured batches of each kind", min = 1 },
}
axes = { load = { 0.6, 0.9 } }
shape = { n = opt.n, load = opt.load }
stages = {
  { name = "build", batches = 1 },
  { name = "full", batches = opt.runs, warmup = 1 },
  { name = "delete", batches = 1 },
  { name = "deleted", batches = opt.runs, warmup = 1 },
  { name = "flush", batches = 1 },
  { name = "flushed", batches = opt.runs, warmup = 1 },
  { name = "build again", batches = 1 },
}
plots = { { x = "load", y = "mops", where = { op = "find" } } }

local keys = gen.keys{}:take(opt.n)
local left = math.max(1, math.floor(opt.n * opt.left))

function event(t, i, stage)
  if stage == "build" then
    t:insert(keys, gen.random{})
  elseif stage == "delete" then
    t:erase(keys:take(opt.n - left))
  elseif stage == "flush" then
    t:flush()
  elseif stage == "build again" then
    t:insert(keys:take(opt.n - left), gen.random{})
  else
    t:find(gen.hits{ of = keys:skip(opt.n - left), ratio = 1, n = opt.n })
  end
end
