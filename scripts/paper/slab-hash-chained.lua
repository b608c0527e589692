-- Slab hash, Figure 7b: mixed batches on the chained table of Misra and Chaudhuri.
-- A table is filled; then each batch inserts new pairs, erases as many old ones, and looks up
-- keys of which half are present. Inserts are upserts in schemes that have them, as in the
-- paper, which uses a set of 32-bit keys for the chained table, a million operations, and
-- growing numbers of buckets. Its command, with the chained table as in the paper:
--
--   hashzoo run paper/slab-hash-chained --device cuda:0 --set n=1M --set operations=1M \
--     --set pair=k4v0 --axis pairs=64,16,4,1 --schemes slab:hash=universal,chained
--
-- Both tables have the same number of buckets at each point: `pairs` is how many pairs there are
-- in a bucket, counting all that are ever inserted, as neither table uses erased places again. For
-- slab hash the average slab count follows from it, and it takes the memory that this needs. (In
-- the memory of the chained table it would have few buckets and long lists.)
--
-- Expect the chained table to get faster with more buckets, up to one per pair, and batches
-- with fewer updates to be faster. In the paper slab hash is 5.1, 4.3 and 3.1 times as fast on
-- average, with 100, 40 and 20 percent of updates. The shorter the lists, the smaller the
-- advantage.
options = {
  n = { 1e5, "pairs that stay in the table", min = 10 },
  operations = { 1e5, "operations in a batch", min = 10 },
  batches = { 5, "batches", min = 1 },
  pair = { "k4v4", "bytes of a key and a value" },
}
axes = { updates = { 1, 0.4, 0.2 }, pairs = { 16, 4, 1 } }
-- Room for everything that is ever inserted.
local each = opt.operations * opt.batches
local in_slab = opt.pair == "k4v0" and 30 or 15
shape = {
  n = opt.n + 2 * each, load = 0.95, pair = opt.pair,
  schemes = { slab = { beta = math.ceil(100 * opt.pairs / in_slab) }, chained = { chain = opt.pairs } },
}
stages = { batches = opt.batches }
plots = { { x = "pairs", y = "mops", where = { op = "mix" }, log = "x", xlabel = "pairs per bucket", relative = "chained" } }

-- In this order: keys that stay, to erase, to insert, and absent keys.
local keys = gen.keys{}
local stay = keys:take(opt.n)
local none = keys:slice(2 ^ 31, opt.operations)
local find = gen.choose{ first = stay:sample(opt.operations), second = none, p = 0.5 }

function prepare(t)
  t:insert(keys:take(opt.n + each), gen.random{})
end

function event(t, i)
  local old = opt.n + (i - 1) * opt.operations
  local insert = t:has("upsert") and "upsert" or "insert"
  t:mix{
    [insert] = opt.updates / 2, erase = opt.updates / 2, find = 1 - opt.updates,
    n = opt.operations, values = gen.random{},
    keys = { find = find, erase = keys:slice(old, opt.operations), [insert] = keys:slice(old + each, opt.operations) },
  }
end
