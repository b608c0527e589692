-- Broken: mix sum
-- error: mix_sum.lua:5: t:mix: the fractions of operations add up to 0.9, they must add up to 1, as in { find = 0.95, update = 0.05 } | t:mix{ find = 0.5, update = 0.4, keys = gen.unique{ n = 100 }, values = 1 }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:mix{ find = 0.5, update = 0.4, keys = gen.unique{ n = 100 }, values = 1 }
end
