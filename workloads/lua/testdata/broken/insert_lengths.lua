-- Broken: insert lengths
-- error: insert_lengths.lua:5: t:insert: values has 99 numbers, and there are 100 keys: they must be as many | t:insert(gen.unique{ n = 100 }, gen.unique{ n = 99 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = 100 }, gen.unique{ n = 99 })
end
