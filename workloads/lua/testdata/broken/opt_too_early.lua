-- Broken: opt too early
-- error: opt_too_early.lua:3: opt.n: the script declares no options or axes; hint: options = { n = 1000 } above this line | shape = { n = opt.n, load = 0.8 }
shape = { n = opt.n, load = 0.8 }
options = { n = 1000 }
function prepare(t) end
