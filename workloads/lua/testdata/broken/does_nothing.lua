-- Broken: does nothing
-- error: does_nothing.lua:1: the script does nothing: it defines neither prepare nor event | -- Broken: does nothing
shape = { n = 1000, load = 0.8 }
