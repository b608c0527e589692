-- Broken: add nil
-- error: add_nil.lua:6: a vector + nil: an operand is nil, it takes a vector, a whole number from 0 to 2^53, or u64"..." | t:insert(keys + nil, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local keys = gen.unique{ n = 100 }
  t:insert(keys + nil, 1)
end
