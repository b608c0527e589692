-- Many operations on few keys at once: every batch has thousands of each.
-- Lost updates, double erases and keys that come back show here, with --verify: of many
-- erases of one key in a batch, one must succeed.
options = {
  n = { 1e6, "operations in a batch", min = 1 },
  keys = { 64, "different keys", min = 1 },
  batches = { 10, "batches", min = 1 },
}
shape = { n = opt.keys, load = 0.5 }
stages = { batches = opt.batches }

local keys = gen.keys{}:take(opt.keys)

function prepare(t)
  t:insert(keys, 0)
end

-- Keys that the batch has erased are put back for the next one. All updates write the
-- same value, so that what the table holds at the end is certain.
function event(t, i)
  local few = keys:at(gen.uniform{ n = opt.keys, count = opt.n })
  t:mix{ find = 0.4, update = 0.4, erase = 0.2, keys = few, values = i }
  t:erase(keys)
  if t:has("flush") then -- erased keys may keep their room until then
    t:flush()
  end
  t:insert(keys, i)
end
