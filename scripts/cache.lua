-- A cache of fixed capacity: requests are looked up, and then put, so that those that missed come
-- in, and others leave. Requests are zipfian over `items`, or those of a trace (--file trace=...);
-- a scan of items that nobody asks for again may come between.
options = {
  capacity = { 1e5, "slots of the cache", min = 1 },
  items = { 1e6, "items that are asked for", min = 1 },
  batch = { 1e4, "requests in a batch", min = 1 },
  batches = { 100, "batches", min = 1 },
  theta = { 0.99, "skew of the requests: 0 is uniform", min = 0, max = 2 },
  scan = { 0, "requests of a batch that are for items of their own", min = 0 },
}
needs = { "put", "get" }
shape = { capacity = opt.capacity }
stages = { batches = opt.batches }
plots = {
  { x = "scheme", y = "hit %", title = "Requests that the cache answers" },
  { x = "scheme", y = "mops", title = "Rates" },
}

local items = gen.keys{}

function event(t, i)
  local asked = items:at(gen.zipfian{ n = opt.items, theta = opt.theta, count = opt.batch - opt.scan })
  if opt.scan > 0 then asked = asked .. items:slice(opt.items + i * opt.scan, opt.scan) end
  t:get(asked)
  t:put(asked, i)
end

function done(s)
  return { ["hit %"] = 100 * s.get.ok / s.get.n }
end
