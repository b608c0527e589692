-- DyCuckoo, Figures 11 to 14: tables that grow and shrink, and the cost of their parameters.
-- These are alpha, beta, the ratio r of erases to inserts, and the batch size. The paper's data sets
-- have 10 to 100 million pairs, which come in batches of a million, each with a million
-- lookups and r million erases; then all batches run again with inserts and erases swapped.
-- Its commands, the second with r, beta or batch in place of alpha:
--
--   hashzoo run paper/dycuckoo-dynamic --device cuda:0 --schemes dycuckoo --set n=50M --set batch=1M
--   hashzoo run paper/dycuckoo-dynamic --device cuda:0 --schemes dycuckoo \
--     --set n=50M --set batch=1M --axis alpha=25,30,35,40,45
--
-- Expect no insert to fail, and the load factor to stay between alpha and beta: columns "least
-- load" and "most load", which ignore batches after which the table is smaller than one
-- batch. In the paper resizing costs little compared with the operations, and neither bound
-- matters much.
-- The paper prints no numbers for its figures: they are curves.
options = {
  n = { 2 ^ 18, "pairs that come and go", min = 64 },
  batch = { 2 ^ 14, "inserts in a batch of the first half", min = 16 },
}
axes = { r = { 0.1, 0.3, 0.5 }, alpha = { 40 }, beta = { 90 } }
shape = {
  n = opt.batch, load = opt.beta / 100,
  schemes = { dycuckoo = { alpha = opt.alpha, beta = opt.beta } },
}
local batches = math.floor(opt.n / opt.batch)
stages = { { name = "grow", batches = batches }, { name = "shrink", batches = batches } }
thresholds = { "failed == 0" }
plots = { { x = "r", y = "mops", xlabel = "erases per insert" } }

local keys = gen.unique{ n = batches * opt.batch }
local back = math.floor(opt.r * opt.batch)
local least, most = 1, 0

local function look(t)
  if t:size() > opt.batch then
    least, most = math.min(least, t:load_factor()), math.max(most, t:load_factor())
  end
end

-- The first `back` pairs of each batch are erased again.
function event(t, i, stage)
  local at = ((i - 1) % batches) * opt.batch
  local all, some = keys:slice(at, opt.batch), keys:slice(at, back)
  if stage == "grow" then
    t:insert(all, all)
    look(t)
  else
    t:erase(all)
  end
  t:find(keys:sample(opt.batch))
  if stage == "grow" then
    t:erase(some)
  else
    t:insert(some, some)
  end
  look(t)
end

function done()
  return { ["least load"] = least, ["most load"] = most }
end
