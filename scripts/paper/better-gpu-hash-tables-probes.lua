-- Better GPU Hash Tables, Figures 5 and 14: probes over load factors; needs --count.
-- A probe is one read of a bucket, whatever its size: the average is a property of the
-- scheme, and the same on every machine.
--
--   hashzoo run paper/better-gpu-hash-tables-probes --count \
--     --schemes 1cht,bcht:bucket=8,bcht:bucket=16,bcht:bucket=32
--
-- Expect, at a load factor of 0.9, what the authors measured with 20 million keys:
--
--                  insert   100%    50%     0%
--   no buckets      2.752   2.260   2.747   3.437
--   buckets of 8    1.225   1.218   1.634   2.074
--   buckets of 16   1.113   1.108   1.469   1.810
--   buckets of 32   1.054   1.050   1.313   1.555
options = { n = { 1e6, "pairs in the table, and keys that are looked up", min = 1 } }
axes = { load = { 0.6, 0.7, 0.8, 0.9 } }
shape = { n = opt.n, load = opt.load }
stages = { { name = "100%", batches = 1 }, { name = "50%", batches = 1 }, { name = "0%", batches = 1 } }

local keys = gen.keys{}:take(opt.n)
local ratio = { ["100%"] = 1, ["50%"] = 0.5, ["0%"] = 0 }

function prepare(t)
  if not t:insert(keys, gen.random{}).probes then
    t:note("nothing counts probes: give --count")
  end
end

function event(t, i, stage)
  t:find(gen.hits{ of = keys, ratio = ratio[stage], n = opt.n })
end
