-- Broken: global load
-- error: global_load.lua:5: load is not available: scripts cannot create code | load('return 1')()
shape = { n = 1000, load = 0.8 }
function prepare(t)
  load('return 1')()
end
