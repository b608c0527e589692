-- Broken: axes and option
-- error: axes_and_option.lua:5: axes.load: an option and an axis have the same name | load = { 0.6, 0.8 },
options = { load = 0.8 }
axes = {
  load = { 0.6, 0.8 },
}
shape = { n = 1000, load = opt.load }
function prepare(t) end
