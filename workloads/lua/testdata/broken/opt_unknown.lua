-- Broken: opt unknown
-- error: opt_unknown.lua:4: opt: unknown option or axis "pair": did you mean pairs? | shape = { n = opt.pair, load = 0.8 }
options = { pairs = 1000 }
shape = { n = opt.pair, load = 0.8 }
function prepare(t) end
