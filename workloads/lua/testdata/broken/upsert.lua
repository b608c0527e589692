-- Broken: upsert
-- error: upsert.lua:5: t:upsert: scheme bcht has no operation upsert: it has insert, put, find, get, retrieve, update, erase, count, export; try <...> | t:upsert(gen.unique{ n = 100 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:upsert(gen.unique{ n = 100 }, 1)
end
