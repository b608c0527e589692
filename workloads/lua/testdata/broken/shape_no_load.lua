-- Broken: shape no load
-- error: shape_no_load.lua:3: shape: it takes one of n with load, capacity, or bytes | shape = { n = 1000 }
shape = { n = 1000 }
function prepare(t) end
