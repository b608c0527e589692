-- Stadium Hashing, Table I: how busy the lanes of a warp are while a table fills.
-- Its command:
--
--   hashzoo run paper/stadium-lanes --device cuda:0 --set n=33554432 \
--     --schemes 1cht:hashes=4,exchange=always,stash:access=off,clstash
--
-- The paper's profiler counted the active threads of all instructions; the plot shows its table.
-- "lanes %" counts attempts only, so it is lower for stash, about 32 to 29, and higher for
-- clstash. Stash does the rest, from reading its pair to writing it, with all lanes: "with rest
-- %" counts that as 2.2 attempts, which gives the paper's figures. Expect the same order at
-- every load factor, and clstash above 80 with thousands of pairs per warp; at the end it,
-- too, waits for the last ones.
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

function done(s)
  if active then
    local all = s.scheme:sub(1, 5) == "stash" and 100 * (active + 2.2) / (issued + 2.2) or nil
    return { ["lanes %"] = 100 * active / issued, ["with rest %"] = all }
  end
end
