-- Broken: method dot
-- error: method_dot.lua:5: t:insert: called on a vector: write t:insert(...), with a colon | t.insert(gen.unique{ n = 100 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t.insert(gen.unique{ n = 100 }, 1)
end
