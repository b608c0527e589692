-- Broken: find values
-- error: find_values.lua:5: t:find: unexpected argument 5: it takes keys only | t:find(gen.unique{ n = 100 }, 5)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.unique{ n = 100 }, 5)
end
