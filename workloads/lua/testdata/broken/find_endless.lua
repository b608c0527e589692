-- Broken: find endless
-- error: find_endless.lua:5: t:find: keys has no end; hint: keys:take(1000), or count = 1000 where it is made | t:find(gen.uniform{ n = 100 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.uniform{ n = 100 })
end
