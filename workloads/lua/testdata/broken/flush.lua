-- Broken: flush
-- error: flush.lua:5: t:flush: scheme bcht has no operation flush: it has insert, put, find, get, retrieve, update, erase, count, export; try <...> | t:flush()
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:flush()
end
