-- Stadium Hashing, Figures 17 and 18a: rates over the size of tickets, in host memory.
-- The paper uses a load factor of 0.8 and tables of gigabytes. Its command:
--
--   hashzoo run paper/stadium-tickets --device cuda:0 --set n=200M --set placement=host \
--     --schemes stash,clstash,1cht:exchange=always
--
-- Expect inserts at the same rate for any ticket size, about twice that of 1cht: each writes
-- the table once and never reads it. Lookups get faster with larger tickets: 1.1, 1.5 and 1.6
-- times as fast as 1cht with 2, 4 and 8 bits, and 1.6, 3.2 and 4.0 times when half of the keys
-- are absent. With --count, table_reads and table_writes explain it: of the slots with other
-- keys on its way, a lookup reads a fraction of 2^-i if i bits of a ticket are info bits.
options = {
  n = { 1e6, "pairs in the table, and keys in each batch of lookups", min = 1 },
  placement = { "device", "memory of the table: device or host" },
  pair = { "k4v4", "bytes of a key and a value" },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { ticket = { 1, 2, 4, 8 } }
shape = {
  n = opt.n, load = opt.load, placement = opt.placement, pair = opt.pair,
  schemes = { stash = { ticket = opt.ticket, access = "off" }, clstash = { ticket = opt.ticket } },
}
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "50%", batches = opt.runs, warmup = 1 },
  { name = "deletes", batches = opt.runs },
}
plots = { { x = "ticket", y = "mops", log = "x", xlabel = "bits of a ticket", relative = "1cht" } }

local keys = gen.keys{}:take(opt.n)
local queries = {
  ["100%"] = gen.hits{ of = keys, ratio = 1, n = opt.n },
  ["50%"] = gen.hits{ of = keys, ratio = 0.5, n = opt.n },
}

-- Deletes take the keys in another order, one part per batch.
local order, part = keys:shuffle(), math.floor(opt.n / opt.runs)
local deleted = 0

function event(t, _, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, gen.random{})
  elseif stage == "deletes" then
    t:erase(order:slice(deleted, part))
    deleted = deleted + part
  else
    t:find(queries[stage])
  end
end
