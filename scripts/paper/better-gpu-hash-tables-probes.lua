-- Better GPU Hash Tables, Figures 5, 8, 11 and 14: probes over load factors.
-- A probe is one read of a bucket of any size. The average is a property of the scheme and
-- the same on every machine.
--
--   hashzoo run paper/better-gpu-hash-tables-probes \
--     --schemes 1cht,bcht:bucket=8,bcht:bucket=16,bcht:bucket=32,bp2ht,iht
--
-- Expect, at a load factor of 0.9, what the authors measured with 20 million keys:
--
--                         insert   100%    50%     0%
--   1cht                   2.752   2.260   2.747   3.437
--   bcht, buckets of 8     1.225   1.218   1.634   2.074
--   bcht, buckets of 16    1.113   1.108   1.469   1.810
--   bcht, buckets of 32    1.054   1.050   1.313   1.555
--   bp2ht, buckets of 32   2.013   1.338   1.672   2
--   iht, buckets of 32
--     threshold 20         2.604   2.321   2.828   3
--     threshold 40         2.216   1.997   2.827   3
--     threshold 60         1.756   1.614   2.607   3
--     threshold 80         1.358   1.285   2.284   3
--
-- Buckets of 16 of bp2ht and iht do not fill that far. At 0.8 bp2ht has 2.011, 1.331, 1.671
-- and 2, iht with a threshold of 80 percent 1.258, 1.203, 2.202 and 3.
options = { n = { 1e6, "pairs in the table, and keys to look up", min = 1 } }
axes = { load = { 0.6, 0.7, 0.8, 0.9 } }
count = true
shape = { n = opt.n, load = opt.load }
stages = { { name = "100%", batches = 1 }, { name = "50%", batches = 1 }, { name = "0%", batches = 1 } }
plots = { { x = "load", y = "probes", log = "y" } }

local keys = gen.keys{}
local present = { ["100%"] = 1, ["50%"] = 0.5, ["0%"] = 0 }

function prepare(t)
  t:insert(keys:take(opt.n), gen.random{})
end

-- The authors looked up the keys that were inserted last. These cost more or less than others,
-- because the table was fuller, so it matters which half of the keys is looked up.
function event(t, i, stage)
  t:find(keys:slice(opt.n - math.floor(opt.n * present[stage]), opt.n))
end
