-- Build a table to a load factor, then look up keys of which all, half or none are present.
-- Every paper about hash tables has this table. All batches of a stage are equal, so the
-- noise is the machine's.
options = {
  n = { 1e6, "pairs in the table, and keys in each batch of lookups", min = 1 },
  runs = { 10, "measured batches of each kind", min = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4, k8v8, or others that the schemes support" },
}
axes = { load = { 0.6, 0.8, 0.9 } }
shape = { n = opt.n, load = opt.load, pair = opt.pair }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "100%", batches = opt.runs, warmup = 1 },
  { name = "50%", batches = opt.runs, warmup = 1 },
  { name = "0%", batches = opt.runs, warmup = 1 },
}
plots = { { x = "load", y = "mops" } }

local keys = gen.keys{}:take(opt.n)
local values = gen.random{}:take(opt.n)
local queries = {
  ["100%"] = gen.hits{ of = keys, ratio = 1, n = opt.n },
  ["50%"] = gen.hits{ of = keys, ratio = 0.5, n = opt.n },
  ["0%"] = gen.hits{ of = keys, ratio = 0, n = opt.n },
}

function event(t, i, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, values)
  else
    t:find(queries[stage])
  end
end
