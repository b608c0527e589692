-- Stadium Hashing, Figure 18: what the board gains in lookups, and collaborating lanes in inserts.
-- Stash, the same with lookups that read the table without looking at the board, and Stash with
-- collaborating lanes (a hybrid). The paper uses pairs of 8+8 bytes at a load factor of 0.85:
-- 320M with the table in host memory, 160M in that of the GPU. Its commands:
--
--   hashzoo run paper/stadium-board --device cuda:0 --set n=320M --set pair=k8v8 --set placement=host \
--     --schemes stash:access=off --schemes stash:access=off,lookups=slots --schemes clstash:threshold=60
--   hashzoo run paper/stadium-board --device cuda:0 --set n=160M --set pair=k8v8 \
--     --schemes stash:access=off --schemes stash:access=off,lookups=slots --schemes clstash:threshold=60
--
-- Expect lookups to gain most from the board in host memory, if keys are absent and tickets are
-- large; and inserts to gain from collaboration in the memory of the GPU only, as the bus is the
-- bottleneck of the other. With --count, table_reads has the slots that a lookup reads behind the board,
-- and probes those that it reads without it.
-- The paper prints no numbers for its figure: they are bars.
options = {
  n = { 2 ^ 19, "pairs in the table, and keys in each batch of lookups", min = 1 },
  placement = { "device", "memory of the table: device or host" },
  pair = { "k4v4", "bytes of a key and a value" },
  runs = { 3, "measured batches of each kind", min = 1 },
}
axes = { ticket = { 1, 2, 4, 8 } }
shape = {
  n = opt.n, load = 0.85, placement = opt.placement, pair = opt.pair,
  schemes = { stash = { ticket = opt.ticket }, clstash = { ticket = opt.ticket } },
}
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "50%", batches = opt.runs, warmup = 1 },
}
plots = {
  { x = "ticket", y = "mops", where = { op = "find" }, log = "x", xlabel = "bits of a ticket" },
  { x = "ticket", y = "mops", where = { op = "insert" }, log = "x", xlabel = "bits of a ticket" },
}

local keys = gen.keys{}:take(opt.n)
local queries = {
  ["100%"] = gen.hits{ of = keys, ratio = 1, n = opt.n },
  ["50%"] = gen.hits{ of = keys, ratio = 0.5, n = opt.n },
}

function event(t, _, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, gen.random{})
  else
    t:find(queries[stage])
  end
end
