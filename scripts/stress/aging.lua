-- Age a nearly full table: each round erases the oldest percent and inserts as many new keys.
-- Erased slots must be reused; a scheme that leaves markers gets slower from round to round,
-- or fails although it has room. Schemes with a flush are flushed now and then.
options = {
  n = { 1e6, "pairs in the table", min = 100 },
  load = { 0.85, "load factor", min = 0.01, max = 1 },
  part = { 0.01, "fraction of the pairs that a round replaces", min = 0.0001, max = 1 },
  rounds = { 100, "rounds", min = 10 },
  flush = { 5, "rounds between flushes; 0 never flushes", min = 0 },
}
shape = { n = opt.n, load = opt.load }
stages = { batches = opt.rounds }
plots = { { x = "batch", y = "ms", where = { op = "find" }, title = "Lookups while a table ages", xlabel = "round" } }

local keys = gen.keys{} -- in order of arrival
local each = math.max(1, math.floor(opt.n * opt.part))
local rates = {}        -- of the lookups in each round

function prepare(t)
  t:insert(keys:take(opt.n), gen.sequential{})
end

function event(t, i)
  local oldest = each * (i - 1)
  t:erase(keys:slice(oldest, each))
  if opt.flush > 0 and i % opt.flush == 0 and t:has("flush") then
    t:flush()
  end
  t:insert(keys:slice(oldest + opt.n, each), i)
  local there = keys:slice(oldest + each, opt.n)
  rates[i] = t:find(gen.hits{ of = there, ratio = 0.5, n = each * 10 }).mops
end

-- The lookup rate of the last tenth of the rounds, in percent of the first tenth.
function done(s)
  local tenth = math.floor(#rates / 10)
  local first, last = 0, 0
  for i = 1, tenth do
    first, last = first + rates[i], last + rates[#rates + 1 - i]
  end
  return { ["find left %"] = 100 * last / first }
end
