-- Broken: misspelt axes
-- error: misspelt_axes.lua:4: axis is assigned but axes is not: did you mean axes? hint: otherwise make it local | axis = { load = { 0.6, 0.8 } }
options = { n = 1000 }
axis = { load = { 0.6, 0.8 } }
shape = { n = opt.n, load = 0.8 }
function prepare(t) end
