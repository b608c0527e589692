-- Grow a table batch by batch to sixteen times its initial size, and empty it again.
-- For schemes that grow and shrink automatically:
--
--   hashzoo run stress/growth --schemes fks --set n=16M
--
-- Expect no insert to fail; a scheme ends with the first batch in which one does. The
-- columns: the most bytes per pair after any batch while the table grew, once it had a
-- quarter of the pairs; and its memory with all pairs and at the end, in multiples of its
-- first memory. Notes say what the scheme did.
options = {
  n = { 2 ^ 18, "pairs at the end", min = 256 },
  batches = { 64, "batches in which they come, and as many in which they go", min = 16 },
}
shape = { n = math.ceil(opt.n / 16), load = 0.35 }
stages = {
  { name = "grow", batches = opt.batches },
  { name = "shrink", batches = opt.batches },
}
plots = { { x = "batch", y = "ms" } }

local i = gen.sequential{}
local keys, values = i + 1, i * 3 + 5
local each = math.floor(opt.n / opt.batches)
local first, most, full = nil, 0, 0

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
  else
    t:erase(keys:slice((k - 1 - opt.batches) * each, each))
  end
end

function done(s)
  return { ["most bytes a pair"] = most, grown = full / first, ["shrunk to"] = s.bytes / first }
end
