-- Broken: shape pair
-- error: shape_pair.lua:3: shape.pair is "k4v8", it takes "k4v4" or "k8v8" | shape = { n = 1000, load = 0.8, pair = "k4v8" }
shape = { n = 1000, load = 0.8, pair = "k4v8" }
function prepare(t) end
