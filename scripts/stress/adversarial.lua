-- Many operations on few keys at once: every batch contains thousands for each key.
-- With --verify this shows lost updates, double erases and keys that come back: of many
-- erases of one key in a batch, exactly one must succeed.
options = {
  n = { 1e6, "operations in a batch", min = 1 },
  keys = { 64, "different keys", min = 1 },
  batches = { 10, "batches", min = 1 },
}
shape = { n = opt.keys, load = 0.5 }
stages = { batches = opt.batches }
plots = { { x = "scheme", y = "mops" } }

local keys = gen.keys{}:take(opt.keys)

function prepare(t)
  t:insert(keys, 0)
end

-- Keys that the batch erased are inserted again for the next one. All updates write the same
-- value, so the final content is certain.
function event(t, i)
  local few = keys:at(gen.uniform{ n = opt.keys, count = opt.n })
  t:mix{ find = 0.4, update = 0.4, erase = 0.2, keys = few, values = i }
  t:erase(keys)
  if t:has("flush") then -- erased keys may occupy their slots until then
    t:flush()
  end
  t:insert(keys, i)
end
