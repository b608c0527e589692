-- Broken: shape pair of a scheme
-- error: shape_pair_scheme.lua:3: shape.pair: scheme bcht has no pairs k4v0: it has [k4v4 k8v8] | shape = { n = 1000, load = 0.8, pair = "k4v0" }
shape = { n = 1000, load = 0.8, pair = "k4v0" }
function prepare(t) end
