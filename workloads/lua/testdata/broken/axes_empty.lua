-- Broken: axes empty
-- error: axes_empty.lua:3: axes.load has no values, it takes at least one | axes = { load = {} }
axes = { load = {} }
shape = { n = 1000, load = opt.load }
function prepare(t) end
