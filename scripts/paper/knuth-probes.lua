-- Knuth, The Art of Computer Programming, 6.4, Figure 42: probes of open addressing.
-- Present and absent keys are looked up in tables of growing load factor. A probe is one read
-- of a bucket or window of any size.
--
--   hashzoo run paper/knuth-probes \
--     --schemes linear:bucket=1,double:window=1,linear:bucket=8,double:window=8
--
-- Expect, with one slot at a time, what the formulas say, which the plot shows: at a load factor
-- of 0.9 50 probes of linear probing for an absent key, 10 of double hashing; and, with eight at
-- a time, hardly more than one probe up to 0.8 and less difference between the two: the probe
-- sequence matters less.
options = { n = { 1e6, "pairs in the table, and keys to look up", min = 1 } }
axes = { load = { 0.5, 0.6, 0.7, 0.8, 0.9 } }
count = true
shape = { n = opt.n, load = opt.load }
stages = { { name = "there", batches = 1 }, { name = "not there", batches = 1 } }
plots = { { x = "load", y = "probes", log = "y" } }

local keys = gen.keys{}:take(opt.n)
local ratio = { ["there"] = 1, ["not there"] = 0 }

function prepare(t)
  t:insert(keys, gen.random{})
end

function event(t, i, stage)
  t:find(gen.hits{ of = keys, ratio = ratio[stage], n = opt.n })
end
