-- What a key costs over the size of the table: nanoseconds per insert and lookup.
-- The steps are the memory hierarchy: costs rise where the table no longer fits into a cache,
-- and once more where the pages that it covers no longer fit into the TLB.
--
--   hashzoo run sizes --schemes bcht --axis n=64k:64M:*4
--
-- Lookups are of random keys, and as many at every size. Batches that do not fit beside the
-- table are carried out in chunks, so n may be as large as a table that nearly fills the memory.
options = {
  load = { 0.8, "load factor", min = 0.01, max = 1 },
  lookups = { 2 ^ 20, "keys in a batch of lookups", min = 1 },
  runs = { 6, "measured batches of each kind", min = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4, k8v8, or others that the schemes support" },
}
axes = { n = { from = 2 ^ 16, to = 2 ^ 24, factor = 4 } }
shape = { n = opt.n, load = opt.load, pair = opt.pair }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "present", batches = opt.runs, warmup = 1 },
  { name = "absent", batches = opt.runs, warmup = 1 },
}
thresholds = { "misplaced == 0" }
plots = {
  { x = "n", y = "ns a find", log = "xy", ylabel = "ns per lookup of a present key" },
  { x = "n", y = "ns an absent find", log = "xy", ylabel = "ns per lookup of an absent key" },
  { x = "n", y = "ns an insert", log = "xy", ylabel = "ns per insert" },
}

if opt.n > #gen.keys{} / 4 then
  print("n is more than a quarter of all keys, whose hashes spread evenly, so lookups cost less than those of random keys; hint: pair=k8v8")
end

local keys = gen.keys{}:take(opt.n)
local values = gen.random{}:take(opt.n)
local queries = {
  present = gen.hits{ of = keys, ratio = 1, n = opt.lookups },
  absent = gen.hits{ of = keys, ratio = 0, n = opt.lookups },
}

function event(t, i, stage)
  if stage == "build" then
    t:clear()
    t:insert(keys, values)
  else
    t:find(queries[stage])
  end
end

local function ns(r) return 1000 / r.mops end

-- Lookups in vain cost more, so those that find, or do not, against expectation make a cost wrong. A pair that
-- found no room is missed by the lookups that draw its key.
function done(s)
  local build, present, absent = s.build.insert, s.present.find, s.absent.find
  local missed = build.failed > 0 and 0 or present.n - present.ok
  return { ["ns an insert"] = ns(build), ["ns a find"] = ns(present), ["ns an absent find"] = ns(absent), misplaced = missed + absent.ok }
end
