-- The standard measurement: build a table, then look up keys of which all, half and none are present.
-- hashzoo bench runs it. Each stage repeats until the noise is below repeat.noise.
options = {
  n = { 1e6, "pairs in the table, and keys in each lookup", min = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4, k8v8, or others that the schemes have" },
  placement = { "device", "where the tables are: device, or host" },
  present = { "1,0.5,0", "fractions of the looked-up keys that are in the table" },
  erase = { false, "also erase all pairs" },
  mix = { false, "also look up keys while others are inserted, on schemes that do both at once" },
}
axes = { load = { 0.6, 0.8, 0.9 } }
shape = { n = opt.n, load = opt.load, pair = opt.pair, placement = opt.placement }

local all = gen.keys{ seed = "keys" }
local others = #all - opt.n -- keys that are not in the table
if others < 0 then
  error(string.format("n is %.0f: there are %.0f keys", opt.n, #all), 0)
end
local inside, outside = all:take(opt.n), nil
if others >= opt.n then
  outside = all:slice(opt.n, opt.n)
elseif others > 0 and not opt.mix then
  outside = all:skip(opt.n):cycle():take(opt.n) -- each several times
elseif opt.mix or opt.present ~= "1" then
  error(string.format("n is %.0f of %.0f keys: too few are left to %s", opt.n, #all,
    opt.mix and "insert; hint: mix=false" or "look up in vain; hint: present=1"), 0)
end
local values = gen.random{ seed = "values" }:take(opt.n)
local asked = inside:shuffle("order")

local list, fractions, queries = { { name = "build", settle = true } }, {}, {}
for text in opt.present:gmatch("[^,]+") do
  local p = tonumber(text)
  local name = string.format("find %g %%", 100 * p)
  list[#list + 1] = { name = name, settle = true }
  fractions[name] = p
  queries[name] = outside and gen.choose{ first = asked, second = outside, p = p, seed = "present" } or asked
end
if opt.erase then list[#list + 1] = { name = "empty", settle = true } end
if opt.mix then list[#list + 1] = { name = "mixed", settle = true } end
stages = list
thresholds = { "misplaced == 0" }
plots = { { x = "load", y = "mops" } }

-- A mixed batch inserts the last twentieth of the pairs, and does four lookups for each.
local fresh = math.max(math.floor(opt.n / 20), 1)
local old = inside:take(opt.n - fresh)
local n = math.min(5 * fresh, opt.n - fresh)

local failed = 0 -- of the table that is looked at: builds may differ

-- A scheme that cannot erase, or not find and insert in one launch, makes no batch then.
function event(t, i, stage)
  if queries[stage] then
    t:find(queries[stage])
  elseif stage == "build" then
    t:clear()
    failed = t:insert(inside, values).failed
  elseif stage == "empty" and t:has("erase") then
    t:clear()
    t:fill(inside, values)
    t:erase(asked)
  elseif stage == "mixed" and t:has("find", "insert") then
    t:clear()
    t:fill(old, values:take(opt.n - fresh))
    t:mix{ find = 0.8, insert = 0.2, n = n, values = values:take(n), seed = "mix",
      keys = { find = old:shuffle("mix order"), insert = outside } }
  end
end

-- Whether as many keys were found as are there: no seed in a billion is off by six deviations.
function done(results)
  local misplaced = 0
  for stage, p in pairs(fractions) do
    local reached, find = pcall(function() return results[stage].find end) -- hashzoo choose ends runs early
    if reached then
      local found, expected = find.ok / find.batches, opt.n * p
      local slack = 6 * math.sqrt(expected * (1 - p))
      misplaced = math.max(misplaced, expected - slack - failed - found, found - expected - slack)
    end
  end
  return { misplaced = math.max(misplaced, 0) }
end
