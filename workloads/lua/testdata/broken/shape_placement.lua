-- Broken: shape placement
-- error: shape_placement.lua:3: shape.placement is "host": the tables of scheme bcht lie in device memory only; no scheme of this zoo has others | shape = { n = 1000, load = 0.8, placement = "host" }
shape = { n = 1000, load = 0.8, placement = "host" }
function prepare(t) end
