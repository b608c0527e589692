-- Broken: shape twice
-- error: shape_twice.lua:4: shape is declared twice | shape = { n = 1000, load = 0.8 }
shape = { n = 1000, load = 0.8 }
shape = { n = 1000, load = 0.8 }
function prepare(t) end
