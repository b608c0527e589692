-- A cache plays a trace: zipfian requests, of which those that it misses are brought in.
-- The oldest entries make room. As with news or videos, requests prefer the newest entries; a
-- tenth of them miss. Each measurement begins with a full cache and plays the same trace.
options = {
  n = { 1e6, "entries in the cache, and requests in a batch", min = 100 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
  theta = { 0.99, "skew of the requests", min = 0, max = 2 },
}
shape = { n = opt.n, load = opt.load }
stages = { { name = "trace", settle = true } }
plots = { { x = "scheme", y = "mops", title = "A cache" } }

local keys = gen.keys{} -- in the order in which they enter the cache
local misses = math.floor(opt.n / 10)
local cached, fresh = keys:take(opt.n), keys:slice(opt.n, misses)
local asked = cached:at(gen.latest{ n = opt.n, theta = opt.theta, count = opt.n - misses }) .. fresh
local requests = asked:shuffle("order")

function event(t)
  t:clear()
  t:fill(cached, gen.sequential{})
  t:find(requests)
  t:erase(cached:take(misses))
  if t:has("flush") then t:flush() end -- erased entries may occupy their slots until then
  t:insert(fresh, gen.sequential{})
end
