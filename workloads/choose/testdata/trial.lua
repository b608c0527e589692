-- A workload of a trial: lookups of which some find nothing, updates, and pairs that come and go.
options = {
  n = { 20000, "pairs in the table", min = 100 },
  load = { 0.8, "load factor", min = 0.1, max = 1 },
  pair = { "k4v4", "bytes of a key and a value" },
  hits = { 0.8, "fraction of the lookups that find something", min = 0, max = 1 },
  theta = { 0.5, "skew of the keys that are looked up", min = 0, max = 1.5 },
  looked = { 1, "lookups in a batch, of n", min = 0.01 },
  updated = { 0, "updates in a batch, of n", min = 0 },
  replaced = { 0, "pairs that are erased and inserted in a batch, of n", min = 0, max = 0.5 },
  built = { false, "the table is built again in every batch" },
}
shape = { n = opt.n, load = opt.load, pair = opt.pair }
stages = { batches = 12 }

local all = gen.keys{}
local keys, absent = all:take(opt.n), all:skip(20 * opt.n)

function prepare(t) t:insert(keys, keys) end

function event(t, i)
  if opt.built then
    t:clear()
    t:insert(keys, keys)
    t:find(gen.hits{ of = keys, ratio = opt.hits, n = math.floor(opt.looked * opt.n) })
    return
  end
  local moved = math.floor(opt.replaced * opt.n)
  local here = all:slice(moved * (i - 1), opt.n)
  local present = here:at(gen.zipfian{ n = opt.n, theta = opt.theta })
  t:find(gen.choose{ first = present, second = absent, p = opt.hits, seed = i }:take(math.floor(opt.looked * opt.n)))
  if opt.updated > 0 then t:update(here:sample(math.floor(opt.updated * opt.n)), i) end
  if moved > 0 then
    t:erase(here:take(moved))
    if t:has("flush") then t:flush() end
    t:insert(all:slice(moved * (i - 1) + opt.n, moved), i)
  end
end
