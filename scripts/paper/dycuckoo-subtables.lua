-- DyCuckoo, Figures 7 and 8: rates over the number of subtables, and the rate of a resize.
-- Rates are at a load factor of 0.9; a resize affects one subtable. As in Figure 8, resizes
-- happen at the bounds: a subtable is doubled at a load factor of 0.9 and halved at 0.4. Its
-- command, with its own table and with ours, in which keys have two places:
--
--   hashzoo run paper/dycuckoo-subtables --device cuda:0 --set n=50M \
--     --schemes dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated,dycuckoo
--
-- Expect inserts to get a little faster with more subtables. In the paper lookups get slower,
-- because a key may be in any subtable; so they do here with places=all, most of all for absent
-- keys, but not with two places per key. The
-- columns are millions of pairs of the resized subtable per second; in the paper they are far
-- above the insert rate of the same pairs.
-- The paper prints no numbers for its figures: they are curves.
options = { n = { 1e6, "pairs", min = 1000 }, runs = { 3, "measured batches of each kind", min = 1 } }
axes = { subtables = { 2, 3, 4, 5 } }
shape = { n = opt.n, load = 0.9, schemes = { dycuckoo = { subtables = opt.subtables, resize = "manual" } } }
stages = {
  { name = "build", batches = opt.runs, warmup = 1 },
  { name = "present", batches = opt.runs, warmup = 1 },
  { name = "absent", batches = opt.runs, warmup = 1 },
  { name = "resizing", batches = opt.runs },
}
plots = { { x = "subtables", y = "mops", where = { phase = { "build", "present", "absent" } } } }

local keys = gen.keys{}:take(opt.n)
local double, halve = 0, 0

local function fill(t, n)
  t:clear()
  local some = keys:take(n)
  t:insert(some, some)
end

-- resized returns the rate of a resize. A resize that does nothing, because the table is too
-- small to halve, takes no time.
local function resized(t, slots)
  local pairs_of_it = t:size() / opt.subtables
  local ms = t:resize(slots).ms
  return ms > 0 and pairs_of_it / ms / 1000 or 0
end

function event(t, _, stage)
  if stage == "build" then
    fill(t, opt.n)
  elseif stage == "present" then
    t:find(keys:shuffle())
  elseif stage == "absent" then
    t:find(gen.hits{ of = keys, ratio = 0, n = opt.n })
  else
    fill(t, opt.n)
    double = math.max(double, resized(t, t:capacity() + 1))
    fill(t, math.floor(opt.n * 0.4 / 0.9))
    halve = math.max(halve, resized(t, math.floor(t:capacity() * (1 - 0.5 / opt.subtables))))
  end
end

function done()
  return { ["doubled M/s"] = double, ["halved M/s"] = halve }
end
