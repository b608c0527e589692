-- Stadium Hashing, Figure 19: rates over the widths of keys and values.
-- The paper uses 2^25 pairs at a load factor of 0.85, in GPU memory and in host memory. Its
-- commands:
--
--   hashzoo run paper/stadium-widths --device cuda:0 --set n=33554432 --schemes stash,clstash
--   hashzoo run paper/stadium-widths --device cuda:0 --set n=33554432 --set placement=host \
--     --schemes stash,clstash
--
-- Expect all rates to fall a little with the width, because each pair moves more memory; in
-- host memory the bus bandwidth limits them all. Larger tickets help most there, and most for
-- wide values.
-- The paper prints no numbers for its figures: they are curves.
options = {
  n = { 2 ^ 18, "pairs in the table, and keys in each batch of lookups", min = 1 },
  placement = { "device", "memory of the table: device or host" },
  ticket = { 4, "bits of a ticket" },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { pair = { "k4v4", "k4v8", "k8v8", "k8v16", "k8v32", "k8v64" } }
shape = {
  n = opt.n, load = 0.85, placement = opt.placement, pair = opt.pair,
  schemes = { stash = { ticket = opt.ticket, access = "off" }, clstash = { ticket = opt.ticket } },
}
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "deletes", batches = opt.runs },
}
plots = { { x = "pair", y = "mops", xlabel = "bytes of a key and a value" } }

local keys = gen.keys{}:take(opt.n)
local queries = gen.hits{ of = keys, ratio = 1, n = opt.n }
local order, part = keys:shuffle(), math.floor(opt.n / opt.runs)
local deleted = 0

function event(t, _, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, gen.random{})
  elseif stage == "100%" then
    t:find(queries)
  else
    t:erase(order:slice(deleted, part))
    deleted = deleted + part
  end
end
