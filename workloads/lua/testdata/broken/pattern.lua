-- Broken: pattern
-- error: pattern.lua:5: string.match: pattern "%b()": %b is not supported | local inner = ("f(a(b))"):match("%b()")
shape = { n = 100, load = 0.5 }
stages = { batches = 1 }
local inner = ("f(a(b))"):match("%b()")
function event(t) end
