-- Broken: add lengths
-- error: add_lengths.lua:6: add: streams of 100 and 50 numbers do not fit together; hint: take the same number of both | t:insert(keys, keys + gen.unique{ n = 50 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local keys = gen.unique{ n = 100 }
  t:insert(keys, keys + gen.unique{ n = 50 })
end
