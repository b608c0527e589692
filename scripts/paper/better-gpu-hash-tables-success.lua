-- Better GPU Hash Tables, Figure 2: how many builds succeed, over load factors.
-- The same keys are inserted again and again, each time with other hash functions. A build
-- succeeds if every key finds room. The paper uses 50 million keys and 200 builds:
--
--   hashzoo run paper/better-gpu-hash-tables-success --device cuda:0 --set n=50M \
--     --set builds=200 --schemes 1cht:exchange=always,auto=cudpp,bcht:bucket=16,bp2ht,iht:threshold=80
--
-- Expect a sharp edge: nearly all builds succeed up to some load factor, almost none beyond.
-- In the paper 99 percent succeed up to 0.98 with bcht, up to 0.91 with bp2ht and iht with
-- buckets of 32, up to 0.88 with 1cht: CUDPP limits an insert to 7 lg n evictions (auto=cudpp).
-- With the limit of 1cht here, nine times as large, builds succeed up to 0.96. More keys make the edge sharper, and move that of the
-- stable tables down: the fullest of more buckets is fuller.
options = {
  n = { 2 ^ 16, "keys", min = 1 },
  builds = { 100, "builds at each load factor", min = 1 },
}
axes = { load = { 0.80, 0.84, 0.86, 0.88, 0.90, 0.91, 0.92, 0.94, 0.96, 0.98, 0.99 } }
shape = { n = opt.n, load = opt.load }
stages = { batches = opt.builds }
plots = { { x = "load", y = "success %", ylabel = "builds that succeed (%)" } }

local keys = gen.keys{}:take(opt.n)
local succeeded = 0

function event(t, i)
  t:clear{ reseed = true }
  if t:insert(keys, keys).failed == 0 then
    succeeded = succeeded + 1
  end
end

function done(s)
  return { ["success %"] = 100 * succeeded / s.insert.batches }
end
