-- DyCuckoo, Tables 4 to 8, rows of Mega-KV: percent of failed inserts, over load factors.
-- The paper builds tables of five data sets, the largest of which is RAND, 100 million random
-- keys. Its command:
--
--   hashzoo run paper/dycuckoo-megakv --device cuda:0 --schemes megakv --set n=100M --set builds=3
--
-- Expect failures at every load factor, growing with it. The paper has, for RAND,
--
--   load factor       0.75   0.8   0.85   0.9   0.95
--   failed, percent   0.42   0.79  1.4    2.4   3.9
--
-- but does not give the limit of evictions or the bucket size. With buckets of 8 slots, as in
-- the published code of Mega-KV, a limit of one eviction comes closest: 0.27, 0.58, 1.2, 2.2,
-- 3.6. The difference is about the same everywhere: the published code loses colliding
-- inserts, this one does not. With the code's own limit of 5 evictions and no lost inserts,
-- buckets of 8 fail for 0.003 to 1.1 percent of the inserts, buckets of 32 for none up to 0.8
-- and for 0.08 percent at 0.95.
options = {
  n = { 2 ^ 20, "keys", min = 1 },
  builds = { 3, "builds at each load factor", min = 1 },
  bucket = { 8, "slots per bucket", min = 8, max = 32 },
  evictions = { 1, "limit of evictions per insert", min = 0 },
}
axes = { load = { 0.75, 0.8, 0.85, 0.9, 0.95 } }
shape = { n = opt.n, load = opt.load, schemes = { megakv = { bucket = opt.bucket, max_chain = opt.evictions } } }
stages = { batches = opt.builds }
plots = { { x = "load", y = "failed %", ylabel = "failed inserts (%)" } }

local keys = gen.keys{}:take(opt.n)

function event(t, i)
  t:clear{ reseed = true }
  t:insert(keys, keys)
end

function done(s)
  return { ["failed %"] = 100 * s.insert.failed / s.insert.n }
end
