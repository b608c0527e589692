-- A read-through cache: what it misses is fetched and kept, until the oldest entries make room.
-- Requests are zipfian over `items`, of which the cache holds `n`. Each batch is looked up, and
-- what the table missed is brought in, each item once: the input of the second batch is what
-- the first one gave. As in stress/cache, erased entries may occupy their slots until a flush.
options = {
  n = { 1e5, "entries in the cache", min = 100 },
  items = { 1e6, "items that are asked for", min = 100 },
  batch = { 1e5, "requests in a batch", min = 100 },
  theta = { 0.99, "skew of the requests: 0 is uniform", min = 0, max = 2 },
  batches = { 20, "batches", min = 1 },
  load = { 0.8, "load factor of a full cache", min = 0.01, max = 1 },
}
answers = true
shape = { n = opt.n + opt.batch, load = opt.load } -- a batch comes in before the oldest entries go
stages = { batches = opt.batches }
plots = { { x = "batch", y = "ms", where = { op = "find" }, title = "Lookups while the cache fills" } }

local items = gen.keys{}:take(opt.items)
local kept, first, size = {}, 1, 0 -- what each batch brought in, from the oldest that is still there on

local function keep(fresh)
  kept[#kept + 1], size = fresh, size + #fresh
end

-- The oldest entries beyond n, as one vector.
local function oldest()
  local old = kept[first]:take(0)
  while size > opt.n do
    local part = kept[first]
    if #part > size - opt.n then
      part, kept[first] = part:take(size - opt.n), part:skip(size - opt.n)
    else
      first = first + 1
    end
    old, size = old .. part, size - #part
  end
  return old
end

function event(t, i)
  local r = t:find(items:at(gen.zipfian{ n = opt.items, theta = opt.theta, count = opt.batch }))
  local fresh = r:missed():once()
  keep(fresh)
  t:insert(fresh, i)
  local old = oldest()
  if #old > 0 then
    t:erase(old)
    if t:has("flush") then t:flush() end
  end
end

function done(s)
  return { ["hit %"] = 100 * s.find.ok / s.find.n }
end
