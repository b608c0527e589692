-- Stadium Hashing, Figures 14, 15 and 16: slices of inserts and finds that run at once.
-- Each slice has about 100 thousand operations, 32 inserts and 32 finds by turns. Keys that
-- are looked up were inserted in the slice before, or, of half of them, never. Its commands
-- (the second with the table in the host's memory):
--
--   hashzoo run paper/stadium-mixed --device cuda:0 --set n=160M --schemes stash,1cht
--   hashzoo run paper/stadium-mixed --device cuda:0 --set n=160M --set placement=host --schemes stash,1cht
--
-- Schemes that cannot mix run each slice in two phases, as the paper had its rival do.
-- Expect stash to gain on it where keys are absent, and more the larger its tickets are, as
-- it hardly looks at slots then; all the more if the table is far away. `together` is
-- Figure 15: the time of the phases by themselves over that of the mixture (the paper: 97
-- percent). Without --device it shows that the results are right, not the rates.
options = {
  n = { 1e6, "pairs in the end", min = 6400 },
  slice = { 99968, "operations of a slice, a multiple of 64", min = 64 },
  placement = { "device", "where the table lies: device or host" },
}
axes = { present = { 1, 0.5 }, ticket = { 2, 4, 8 } }
shape = {
  n = opt.n, load = 0.8, placement = opt.placement,
  schemes = { stash = { ticket = opt.ticket } },
}
local half = opt.slice / 2
local slices = math.floor(opt.n / half) - 1
stages = { { name = "mixed", batches = slices }, { name = "apart", batches = slices } }

local keys = gen.keys{}:take(opt.n)

-- The slice of keys before the first is inserted by itself.
local function start(t)
  t:clear()
  t:insert(keys:take(half), gen.random{})
end

local function queries(i)
  return gen.hits{ of = keys:slice((i - 1) * half, half), ratio = opt.present, n = half }
end

function event(t, i, stage)
  i = (i - 1) % slices + 1
  if i == 1 then
    start(t)
  end
  local new = keys:slice(i * half, half)
  if stage == "apart" then
    t:insert(new, gen.random{})
    t:find(queries(i))
  else
    t:mix{ insert = 0.5, find = 0.5, group = 32, keys = { insert = new, find = queries(i) }, values = gen.random{} }
  end
end

function done(s)
  local mix, insert, find = s.mixed.mix.mops, s.apart.insert.mops, s.apart.find.mops
  return { ["together %"] = 100 * (mix / insert + mix / find) / 2 }
end
