-- Broken: shape two sizes
-- error: shape_two_sizes.lua:3: shape: it takes one of n with load, capacity, or bytes | shape = {
shape = {
  n = 1000, load = 0.8,
  capacity = 2000,
}
function prepare(t) end
