-- Broken: endless loop
-- error: endless_loop.lua:5: the script ran 1000000 instructions in one call, which is the limit; hint: a loop without an end, or raise lua.steps | while true do end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  while true do end
end
