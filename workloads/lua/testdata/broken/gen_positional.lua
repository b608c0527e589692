-- Broken: gen positional
-- error: gen_positional.lua:5: gen.unique is called with 100: it takes named arguments, as in gen.unique{ name = value } | t:insert(gen.unique(100), 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique(100), 1)
end
