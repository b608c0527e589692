-- Stadium Hashing, Figures 14, 15 and 16: slices of inserts and finds that run concurrently.
-- Each slice has about 100 thousand operations, alternating 32 inserts and 32 finds. Lookups
-- ask for keys of the previous slice; with present=0.5, half of them for absent keys. Its
-- commands (the second with the table in host memory):
--
--   hashzoo run paper/stadium-mixed --device cuda:0 --set n=160M --schemes stash,1cht:exchange=always
--   hashzoo run paper/stadium-mixed --device cuda:0 --set n=160M --set placement=host --schemes stash,1cht:exchange=always
--
-- Schemes that cannot mix run each slice in two phases, as the paper does for its rival.
-- Expect stash to gain where keys are absent, the more the larger its tickets are, because it
-- then rarely reads slots; and most with the table in host memory. `together` is Figure 15:
-- the time of the separate phases over that of the mix (97 percent in the paper). Without
-- --device it shows that the results are correct, not the rates.
options = {
  n = { 1e6, "pairs at the end", min = 6400 },
  slice = { 99968, "operations per slice, a multiple of 64", min = 64 },
  placement = { "device", "memory of the table: device or host" },
}
axes = { present = { 1, 0.5 }, ticket = { 2, 4, 8 } }
shape = {
  n = opt.n, load = 0.8, placement = opt.placement,
  schemes = { stash = { ticket = opt.ticket } },
}
local half = opt.slice / 2
local slices = math.floor(opt.n / half) - 1
stages = { { name = "mixed", batches = slices }, { name = "apart", batches = slices } }
plots = {
  { x = "ticket", y = "mops", where = { op = "mix" }, log = "x", xlabel = "bits of a ticket", relative = "1cht" },
  { x = "ticket", y = "together %", log = "x", xlabel = "bits of a ticket", ylabel = "time apart / time of the mix (%)" },
}

local keys = gen.keys{}:take(opt.n)

-- The slice of keys before the first is inserted separately.
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
