-- A Dynamic Hash Table for the GPU, Figure 4c: memory utilization over the average slab count.
-- The average slab count is beta, here in hundredths; section III-C has the formula. The table
-- gets the memory that beta needs plus a small reserve that suffices in nearly all cases. The
-- paper uses 2^22 pairs. Its command:
--
--   hashzoo run paper/slab-hash-utilisation --device cuda:0 --set n=4M --schemes slab
--
-- Expect, with 15 pairs per slab, by the formula
--
--   beta            0.2    0.55   0.7    1      2      8
--   utilization %  18.7    51.0   61.4   65.5   76.4   88.6    and never more than 93.75
--
-- minus the reserve (1 percent here, 0.4 with the paper's size), and one probe per operation
-- up to 0.7, as --count shows.
options = {
  n = { 2 ^ 18, "pairs in the table, and keys in each batch of searches", min = 1 },
  runs = { 6, "measured batches of each kind", min = 1 },
}
axes = { beta = { 20, 55, 70, 100, 200, 400, 800 } }
shape = { n = opt.n, load = 0.9375, schemes = { slab = { beta = opt.beta } } }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "search-all", batches = opt.runs, warmup = 1 },
  { name = "search-none", batches = opt.runs, warmup = 1 },
}
plots = {
  { x = "beta", y = "mops", log = "x", xlabel = "average slab count (%)" },
  { x = "beta", y = "utilization %", log = "x", xlabel = "average slab count (%)", ylabel = "memory utilization (%)" },
}

local keys = gen.keys{}:take(opt.n)

function event(t, i, stage)
  if stage == "build" then
    t:clear()
    t:upsert(keys, gen.random{})
  else
    t:find(gen.hits{ of = keys, ratio = stage == "search-all" and 1 or 0, n = opt.n })
  end
end

function done(s)
  return { ["utilization %"] = 100 * s.size / s.capacity }
end
