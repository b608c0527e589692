-- Grow a table batch by batch to sixteen times its initial size, and empty it again.
-- For schemes that grow and shrink automatically:
--
--   hashzoo run stress/growth --schemes fks --set n=16M
--
-- Expect no insert to fail; a scheme ends with the first batch in which one does. The
-- columns: the most bytes per pair after any batch while the table grew, once it had a
-- quarter of the pairs; its memory with all pairs and once they are gone, in multiples of
-- its first memory; and the time of an insert of all pairs at once into the small table, in
-- multiples of that into a table that was made large enough. Notes say what the scheme did.
options = {
  n = { 2 ^ 18, "pairs at the end", min = 256 },
  batches = { 64, "batches in which they come, and as many in which they go", min = 16 },
}
shape = { n = math.ceil(opt.n / 16), load = 0.35 }
stages = {
  { name = "grow", batches = opt.batches },
  { name = "shrink", batches = opt.batches },
  { name = "large batch", batches = 4 },
  { name = "presized", batches = 4 },
}
plots = { { x = "batch", y = "ms" } }

local i = gen.sequential{}
local keys, values = i + 1, i * 3 + 5
local each = math.floor(opt.n / opt.batches)
local first, most, full, shrunk = nil, 0, 0, 0
local best = {}

-- at_once inserts all pairs in one batch.
local function at_once(t, stage)
  local r = t:insert(keys:take(opt.n), values:take(opt.n))
  best[stage] = math.min(best[stage] or math.huge, r.ms)
  return r.failed == 0
end

function event(t, k, stage)
  first = first or t:bytes()
  if stage == "grow" then
    local r = t:insert(keys:slice((k - 1) * each, each), values:slice((k - 1) * each, each))
    if r.failed > 0 then
      return false -- the table does not grow: further batches would only search it in vain
    end
    full = t:bytes()
    if k > opt.batches / 4 then
      most = math.max(most, full / t:size())
    end
  elseif stage == "shrink" then
    t:erase(keys:slice((k - 1 - opt.batches) * each, each))
    shrunk = t:bytes()
  elseif stage == "large batch" then
    t:erase(keys:take(t:size())) -- which shrinks it
    return at_once(t, stage)
  else
    t:clear()
    if t:has("resize") then
      t:resize(math.ceil(opt.n / shape.load))
    end
    return at_once(t, stage)
  end
end

function done(s)
  local large, presized = best["large batch"], best.presized
  return {
    ["most bytes a pair"] = most,
    grown = full / first,
    ["shrunk to"] = shrunk / first,
    ["grown/presized"] = presized and large / presized,
  }
end
