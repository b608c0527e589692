-- A Dynamic Hash Table for the GPU, Figure 7: inserts, deletions and searches in one batch.
-- Over the initial memory utilization, for three distributions (inserts, deletions, searches
-- that find, searches that do not): 0.5, 0.5, 0, 0 (updates=1); 0.2, 0.2, 0.3, 0.3; and 0.1, 0.1,
-- 0.4, 0.4. The paper's command:
--
--   hashzoo run paper/slab-hash-concurrent --device cuda:0 --set n=4M --set batch=256k --schemes slab:hash=universal
--
-- Expect higher rates with more searches, and a sharp drop from 65 percent on, as for bulk
-- builds. Inserts are upserts in schemes that have them, as in the paper. Schemes that cannot
-- mix run the operations in phases, and the results say so. Slab hash gets twice the slabs,
-- because deleted pairs occupy their slots until a flush; its load factor in the results is
-- therefore half of the requested one.
-- The paper prints no numbers for its figure but about 100 M/s at 90 percent, without a rate to relate it to.
options = {
  n = { 2 ^ 17, "initial pairs in the table", min = 1 },
  batch = { 2 ^ 13, "operations in a batch", min = 1 },
  batches = { 8, "batches; together they have fewer operations than the table has initial pairs", min = 1 },
}
axes = {
  updates = { 1, 0.4, 0.2 },
  load = { 0.2, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9 },
}
shape = { n = opt.n, load = opt.load, schemes = { slab = { spare = 100 } } }
stages = { batches = opt.batches }
plots = { { x = "load", y = "mops", xlabel = "memory utilization" } }

local keys = gen.keys{} -- in order of arrival

function prepare(t)
  t:insert(keys:take(opt.n), gen.random{})
end

-- Each operation takes the key at its own index of its vector, so every batch deletes and
-- inserts other keys. Searches ask for keys that no batch has deleted yet, so their results
-- are certain.
function event(t, i)
  local done = (i - 1) * opt.batch
  local insert = t:has("upsert") and "upsert" or "insert"
  local mix = {
    [insert] = opt.updates / 2, erase = opt.updates / 2, n = opt.batch, values = i,
    keys = { [insert] = keys:slice(opt.n + done, opt.batch), erase = keys:slice(done, opt.batch) },
  }
  if opt.updates < 1 then
    local left = opt.n - done - opt.batch
    local there = keys:slice(done + opt.batch, left):at(gen.uniform{ n = left, count = opt.batch })
    mix.find = 1 - opt.updates
    mix.keys.find = gen.choose{ first = there, second = keys:slice(2 ^ 31 + done, opt.batch), p = 0.5 }
  end
  t:mix(mix)
end
