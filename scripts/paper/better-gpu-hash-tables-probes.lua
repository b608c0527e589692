-- Better GPU Hash Tables, Figures 5, 8, 11 and 14: probes over load factors.
-- A probe is one read of a bucket of any size. The average is a property of the scheme and
-- the same on every machine.
--
--   hashzoo run paper/better-gpu-hash-tables-probes \
--     --schemes 1cht:exchange=always,bcht:bucket=8,looks=1,bcht:bucket=16,looks=1 \
--     --schemes bcht:bucket=32,looks=1,bp2ht:room=buckets \
--     --schemes iht:threshold=80,erased=unused,room=buckets
--
-- Expect what the authors measured with 20 million keys, which the plot shows: for buckets of 8
-- to 32 slots, and for iht with thresholds of 20 to 80. Buckets of 16 of bp2ht and iht do not
-- fill up to 0.9.
options = { n = { 1e6, "pairs in the table, and keys to look up", min = 1 } }
axes = { load = { 0.6, 0.7, 0.8, 0.9 } }
count = true
shape = { n = opt.n, load = opt.load }
stages = { { name = "100%", batches = 1 }, { name = "50%", batches = 1 }, { name = "0%", batches = 1 } }
plots = { { x = "load", y = "probes", where = { phase = { "prepare", "100%", "50%", "0%" } }, ylabel = "probes per key" } }

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
