-- Stadium Hashing, Table I: how busy the lanes of a warp are while a table fills.
-- Its command:
--
--   hashzoo run paper/stadium-lanes --device cuda:0 --set n=33554432 \
--     --schemes 1cht:hashes=4,exchange=always,stash:access=off,clstash
--
-- The paper's profiler counted the active threads of all instructions; the plot shows its table.
-- "lanes %" counts the lanes that have an attempt to make, of those in the warp, in each step in
-- which one has, and nothing else. What all lanes do together, from reading a pair to writing
-- it, raises the profiler's figure and not ours, and so lowers ours for stash; what clstash does
-- between attempts, with few lanes, lowers the profiler's. The paper does not say which
-- instructions it has of each, so the two are shown side by side. Expect the same order at
-- every load factor, falling as tables fill, and clstash above 80 with thousands of pairs per
-- warp; at the end it, too, waits for the last ones.
options = { n = { 2 ^ 18, "pairs", min = 1 } }
axes = { load = { 0.8, 0.85, 0.9, 0.95 } }
count = true
shape = { n = opt.n, load = opt.load, schemes = { ["1cht"] = { hashes = 4 } } }
plots = { { x = "load", y = "lanes %", ylabel = "busy lanes (%)" } }

local keys = gen.keys{}:take(opt.n)
local active, issued -- lanes; nil with --count=false

function prepare(t)
  local r = t:insert(keys, keys)
  active, issued = r.lanes_active, r.lanes_issued
end

function done()
  if active then
    return { ["lanes %"] = 100 * active / issued }
  end
end
