-- Broken: method unknown
-- error: method_unknown.lua:5: the table: unknown method "inser": did you mean insert? | t:inser(gen.unique{ n = 100 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:inser(gen.unique{ n = 100 }, 1)
end
