-- Broken: gen fraction
-- error: gen_fraction.lua:5: gen.unique: n is 2.5, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers exist | t:insert(gen.unique{ n = 2.5 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = 2.5 }, 1)
end
