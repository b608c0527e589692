-- Broken: axes mixed
-- error: axes_mixed.lua:3: axes.load has 0.6 and "0.8", it takes values of one kind | axes = { load = { 0.6, "0.8" } }
axes = { load = { 0.6, "0.8" } }
shape = { n = 1000, load = opt.load }
function prepare(t) end
