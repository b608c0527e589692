-- Broken: shape pair
-- error: shape_pair.lua:3: shape.pair is "k3v3", it takes <...> | shape = { n = 1000, load = 0.8, pair = "k3v3" }
shape = { n = 1000, load = 0.8, pair = "k3v3" }
function prepare(t) end
