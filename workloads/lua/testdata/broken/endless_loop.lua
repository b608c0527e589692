-- Broken: endless loop
-- error: endless_loop.lua:5: the script ran 1000000 instructions in one call, the limit; hint: check for an endless loop, or raise lua.steps | while true do end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  while true do end
end
