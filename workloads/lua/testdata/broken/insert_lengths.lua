-- Broken: insert lengths
-- error: insert_lengths.lua:5: t:insert: values has 99 numbers for 100 keys: it takes as many values as keys | t:insert(gen.unique{ n = 100 }, gen.unique{ n = 99 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = 100 }, gen.unique{ n = 99 })
end
