-- A cache of fixed capacity: requests are looked up and put, and others leave.
-- What missed comes in, and what was there is renewed. Requests are zipfian over `items`, of which
-- some may be a scan of items that nobody asks for again; or those of a trace:
-- hashzoo run cache --file trace=w.oracleGeneral --set key=id --axis slots=10k,100k --schemes assoc,assoc:policy=lfu
options = {
  items = { 1e6, "items that are asked for", min = 1 },
  batch = { 1e4, "requests in a batch: what they ask for twice misses twice, so take few of the slots", min = 1 },
  batches = { 100, "batches", min = 1 },
  theta = { 0.99, "skew of the requests: 0 is uniform", min = 0, max = 2 },
  scan = { 0, "requests of a batch that are for items of their own", min = 0 },
  trace = { "", "a table of requests, instead of generated ones", file = true },
  key = { "", "the column of trace, or several: a,b" },
  format = { "", "format of trace, if its extension does not say it (docs/data.md)" },
}
axes = { slots = { 1e5 } }
local rows
if opt.trace ~= "" then rows = gen.file(opt.trace, { column = opt.key, format = opt.format, width = 8 }) end
shape = { capacity = opt.slots, pair = rows and "k8v8" or nil }
stages = { batches = rows and math.ceil(#rows / opt.batch) or opt.batches }
plots = {
  { x = "slots", y = "hit %", log = "x", title = "Requests that the cache answers" },
  { x = "slots", y = "mops", log = "x", title = "Rates" },
}

local items = gen.keys{}

local function generated(i)
  local asked = items:at(gen.zipfian{ n = opt.items, theta = opt.theta, count = opt.batch - opt.scan })
  return opt.scan > 0 and asked .. items:slice(opt.items + i * opt.scan, opt.scan) or asked
end

function event(t, i)
  local from = (i - 1) * opt.batch
  local asked = rows and rows:slice(from, math.min(opt.batch, #rows - from)) or generated(i)
  t:get(asked)
  t:put(asked, i)
end

function done(s)
  return { ["hit %"] = 100 * s.get.ok / s.get.n, ["evicted %"] = 100 * s.put.evicted / s.put.n }
end
