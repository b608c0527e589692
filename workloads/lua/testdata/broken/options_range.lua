-- Broken: options range
-- error: options_range.lua:3: options.n: the default is 1000, it takes a number from 2000 on | options = { n = { 1000, "pairs", min = 2000 } }
options = { n = { 1000, "pairs", min = 2000 } }
shape = { n = 1000, load = 0.8 }
function prepare(t) end
