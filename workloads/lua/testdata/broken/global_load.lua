-- Broken: global load
-- error: global_load.lua:5: there is no load: scripts make no code | load('return 1')()
shape = { n = 1000, load = 0.8 }
function prepare(t)
  load('return 1')()
end
