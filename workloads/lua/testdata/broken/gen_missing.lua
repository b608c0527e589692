-- Broken: gen missing
-- error: gen_missing.lua:5: gen.unique: n is missing; hint: how many different numbers exist | t:insert(gen.unique{}, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{}, 1)
end
