-- Broken: shape missing
-- error: shape_missing.lua:1: shape is missing: declare the table that the script needs, as in shape = { n = 1e6, load = 0.8 } | -- Broken: shape missing
function prepare(t) end
