-- Broken: mix group
-- error: mix_group.lua:5: t:mix: with group = 32 operations take turns: their fractions must be equal, and the number of keys of each, 100, a multiple of the group | t:mix{ find = 0.5, update = 0.5, group = 32, keys = gen.unique{ n = 100 }, values = 1 }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:mix{ find = 0.5, update = 0.5, group = 32, keys = gen.unique{ n = 100 }, values = 1 }
end
