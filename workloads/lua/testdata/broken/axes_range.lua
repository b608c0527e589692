-- Broken: axes range
-- error: axes_range.lua:3: axes.load: from 0.5 to 0.9 by -0.1: it takes steps that lead there, at most 100000 of them | axes = { load = { from = 0.5, to = 0.9, step = -0.1 } }
axes = { load = { from = 0.5, to = 0.9, step = -0.1 } }
shape = { n = 1000, load = opt.load }
function prepare(t) end
