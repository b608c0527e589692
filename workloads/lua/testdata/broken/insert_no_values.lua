-- Broken: insert no values
-- error: insert_no_values.lua:5: t:insert: values is nil, it takes a vector, a whole number from 0 to 2^53, or u64"..." | t:insert(gen.unique{ n = 100 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = 100 })
end
