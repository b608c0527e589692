-- DyCuckoo, Figures 11 to 14: tables that grow and shrink, and the cost of their parameters.
-- These are alpha, beta, the ratio r of erases to inserts, and the batch size. The paper's data sets
-- have 10 to 100 million pairs, which come in batches of a million, each with a million
-- lookups and r million erases; then all batches run again with inserts and erases swapped.
-- Tables of linear probing and Mega-KV double and halve as a whole, and double when inserts
-- find no room. The paper's table has a place for each key in every subtable, and one elected
-- lane of a warp takes locks; ours, dycuckoo without settings, is faster. Its command, in
-- which alpha, beta, r or batch may be varied by --axis:
--
--   hashzoo run paper/dycuckoo-dynamic --device cuda:0 --set n=50M --set batch=1M --axis r=0.4 \
--     --schemes dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated \
--     --schemes dycuckoo,megakv:bucket=8,linear:bucket=1
--
-- Expect no insert to fail, and the load factor of dycuckoo to stay between alpha and beta:
-- columns "least load" and "most load", which ignore batches after which the table is smaller
-- than one batch. The column "all Mop/s" has all operations over the time of all batches, resizes
-- included. Figure 11 stacks the times: columns "insert ms", "find ms", "erase ms" and "resize ms",
-- which is what tables spend on their pairs and their memory besides the operations; "resizes" has
-- the number of batches that resized. In the paper DyCuckoo is up to 6.62 times as fast as linear probing and 5.05 times as
-- fast as Mega-KV (alpha 0.4, beta 0.9, r 0.4); resizing costs it little compared with the
-- operations, and neither bound matters much.
options = {
  n = { 2 ^ 18, "pairs that come and go", min = 64 },
  batch = { 2 ^ 14, "inserts in a batch of the first half", min = 16 },
}
axes = { r = { 0.1, 0.2, 0.3, 0.4, 0.5 }, alpha = { 40 }, beta = { 90 } }
shape = {
  n = opt.batch, load = opt.beta / 100,
  schemes = {
    dycuckoo = { alpha = opt.alpha, beta = opt.beta },
    megakv = { resize = "auto", alpha = opt.alpha, beta = opt.beta },
    linear = { resize = "auto", alpha = opt.alpha, beta = opt.beta },
  },
}
local batches = math.floor(opt.n / opt.batch)
stages = { { name = "grow", batches = batches }, { name = "shrink", batches = batches } }
thresholds = { "failed == 0" }
plots = {
  { x = "r", y = "mops", xlabel = "erases per insert" },
  { x = "r", y = "all Mop/s", xlabel = "erases per insert", relative = "megakv" },
  { x = "r", y = "all Mop/s", xlabel = "erases per insert", relative = "linear" },
}

local keys = gen.unique{ n = batches * opt.batch }
local back = math.floor(opt.r * opt.batch)
local least, most = 1, 0
local operations, ms = 0, 0
local stack = { ["insert ms"] = 0, ["find ms"] = 0, ["erase ms"] = 0, ["resize ms"] = 0 }
local slots, resizes = nil, 0

local function measured(t, op, r)
  operations, ms = operations + r.n, ms + r.ms
  stack[op .. " ms"] = stack[op .. " ms"] + r.ms - r.upkeep_ms
  stack["resize ms"] = stack["resize ms"] + r.upkeep_ms
  resizes = resizes + (t:capacity() ~= slots and 1 or 0)
  slots = t:capacity()
end

local function look(t)
  if t:size() > opt.batch then
    least, most = math.min(least, t:load_factor()), math.max(most, t:load_factor())
  end
end

-- The first `back` pairs of each batch are erased again.
function event(t, i, stage)
  slots = slots or t:capacity()
  local at = ((i - 1) % batches) * opt.batch
  local all, some = keys:slice(at, opt.batch), keys:slice(at, back)
  if stage == "grow" then
    measured(t, "insert", t:insert(all, all))
    look(t)
  else
    measured(t, "erase", t:erase(all))
  end
  measured(t, "find", t:find(keys:sample(opt.batch)))
  if stage == "grow" then
    measured(t, "erase", t:erase(some))
  else
    measured(t, "insert", t:insert(some, some))
  end
  look(t)
end

function done()
  local columns = { ["least load"] = least, ["most load"] = most, ["all Mop/s"] = operations / ms / 1000, resizes = resizes }
  for name, time in pairs(stack) do
    columns[name] = time
  end
  return columns
end
