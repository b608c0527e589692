-- Stadium Hashing, Figure 13: from which load factor on collaborating lanes pay off.
-- clstash fills a table in 50 parts with several thresholds: at 0 lanes collaborate from the
-- start, at 100 never, which is stash. The paper uses 2^26 pairs of 8+8 bytes at 0.95. Its
-- command:
--
--   hashzoo run paper/stadium-hybrid --device cuda:0 --set n=67108864 --set pair=k8v8 \
--     --schemes clstash,stash
--
-- Expect the early parts (stage "empty") to be faster without collaboration and the late ones
-- ("full") with it, so a threshold in between is fastest overall.
--
-- The paper takes the threshold from a regression: a polynomial of second order through the 50
-- differences in time between both ways, whose second root is the threshold. Columns "fit 0",
-- "fit 1" and "fit 2" are the coefficients of such a polynomial of one way: nanoseconds per pair
-- over the load factor. Least squares are linear, so the fit of the differences is the difference
-- of the fits at thresholds 100 and 0, and `hashzoo check --part papers` shows its second root.
-- The paper prints no numbers for its figure: it is a curve.
options = {
  n = { 2 ^ 19, "pairs", min = 50 },
  pair = { "k4v4", "bytes of a key and a value" },
}
axes = { threshold = { 0, 40, 60, 80, 100 } }
shape = { n = opt.n, load = 0.95, pair = opt.pair, schemes = { clstash = { threshold = opt.threshold } } }
stages = { { name = "empty", batches = 25 }, { name = "full", batches = 25 } }
plots = { { x = "threshold", y = "mops", xlabel = "threshold (%)" } }

local keys = gen.keys{}:take(opt.n)
local part = math.floor(opt.n / 50)

local loads, times = {}, {} -- of each part: the load factor in its middle, and nanoseconds per pair

function event(t, i)
  local before = t:load_factor()
  local r = t:insert(keys:slice((i - 1) * part, part), gen.random{})
  table.insert(loads, (before + t:load_factor()) / 2)
  table.insert(times, 1e6 * r.ms / part)
end

-- solve solves three linear equations, given as rows of three factors and a result, by elimination.
local function solve(rows)
  for i = 1, 3 do
    for j = i + 1, 3 do
      local times_row = rows[j][i] / rows[i][i]
      for k = i, 4 do
        rows[j][k] = rows[j][k] - times_row * rows[i][k]
      end
    end
  end
  local x = {}
  for i = 3, 1, -1 do
    x[i] = rows[i][4]
    for k = i + 1, 3 do
      x[i] = x[i] - rows[i][k] * x[k]
    end
    x[i] = x[i] / rows[i][i]
  end
  return x
end

-- fit returns the coefficients of the polynomial of second order with the least squares.
local function fit(xs, ys)
  local rows = {}
  for i = 0, 2 do
    rows[i + 1] = { 0, 0, 0, 0 }
    for k = 1, #xs do
      for j = 0, 2 do
        rows[i + 1][j + 1] = rows[i + 1][j + 1] + xs[k] ^ (i + j)
      end
      rows[i + 1][4] = rows[i + 1][4] + ys[k] * xs[k] ^ i
    end
  end
  return solve(rows)
end

function done()
  local c = fit(loads, times)
  return { ["fit 0"] = c[1], ["fit 1"] = c[2], ["fit 2"] = c[3] }
end
