-- Broken: mix keys
-- error: mix_keys.lua:5: t:mix: keys.update is nil, it takes a vector; hint: gen makes vectors | t:mix{ find = 0.5, update = 0.5, keys = { find = gen.unique{ n = 100 } }, values = 1 }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:mix{ find = 0.5, update = 0.5, keys = { find = gen.unique{ n = 100 } }, values = 1 }
end
