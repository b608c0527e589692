-- A cache: zipfian requests for cached keys, and some misses, which are fetched and inserted.
-- The oldest entries are evicted. As with news or videos, requests prefer the newest entries.
-- A missing key is requested once in the batch that misses it.
options = {
  n = { 1e6, "entries in the cache", min = 100 },
  batch = { 1e6, "requests in a batch", min = 100 },
  miss = { 0.1, "fraction of the requests that miss", min = 0, max = 0.99 },
  theta = { 0.99, "skew of the other requests", min = 0, max = 2 },
  batches = { 20, "batches", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
local misses = math.min(math.floor(opt.batch * opt.miss), opt.n)
local hits = opt.batch - misses
shape = { n = opt.n, load = opt.load }
stages = { batches = opt.batches }
plots = { { x = "scheme", y = "mops" } }

local keys = gen.keys{} -- in the order in which they enter the cache

function prepare(t)
  t:insert(keys:take(opt.n), gen.random{})
end

function event(t, i)
  local oldest = misses * (i - 1)
  local cached = keys:slice(oldest, opt.n)
  local fresh = keys:slice(oldest + opt.n, misses)
  local asked = cached:at(gen.latest{ n = opt.n, theta = opt.theta, count = hits })
  local r = t:find((asked .. fresh):shuffle())
  if misses > 0 then
    t:erase(cached:take(misses))
    if t:has("flush") then -- erased entries may occupy their slots until then
      t:flush()
    end
    t:insert(fresh, i)
  end
end

function done(s)
  return { ["hit %"] = 100 * s.find.ok / s.find.n }
end
