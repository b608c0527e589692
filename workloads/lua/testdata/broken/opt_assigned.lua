-- Broken: opt assigned
-- error: opt_assigned.lua:4: opt.n cannot be assigned: opt is read-only | opt.n = 2000
options = { n = 1000 }
opt.n = 2000
shape = { n = 1000, load = 0.8 }
function prepare(t) end
