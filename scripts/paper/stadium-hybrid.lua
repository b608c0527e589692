-- Stadium Hashing, Figure 13: from which load factor on collaborating lanes pay off.
-- clstash fills a table in 50 parts with several thresholds: at 0 lanes collaborate from the
-- start, at 100 never, which is stash. The paper uses 2^26 pairs of 8+8 bytes at 0.95. Its
-- command:
--
--   hashzoo run paper/stadium-hybrid --device cuda:0 --set n=67108864 --set pair=k8v8 \
--     --schemes clstash,stash
--
-- Expect the early parts (stage "empty") to be faster without collaboration and the late ones
-- ("full") with it, so a threshold in between is fastest overall.
-- The paper prints no numbers for its figure: it is a curve.
options = {
  n = { 2 ^ 19, "pairs", min = 50 },
  pair = { "k4v4", "bytes of a key and a value" },
}
axes = { threshold = { 0, 40, 60, 80, 100 } }
shape = { n = opt.n, load = 0.95, pair = opt.pair, schemes = { clstash = { threshold = opt.threshold } } }
stages = { { name = "empty", batches = 25 }, { name = "full", batches = 25 } }
plots = { { x = "threshold", y = "mops", xlabel = "threshold (%)" } }

local keys = gen.keys{}:take(opt.n)
local part = math.floor(opt.n / 50)

function event(t, i)
  t:insert(keys:slice((i - 1) * part, part), gen.random{})
end
