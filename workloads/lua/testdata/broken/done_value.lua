-- Broken: done value
-- error: done_value.lua:5: done returns a table as "all": it takes numbers, texts and booleans | function done(s)
shape = { n = 1000, load = 0.8 }
function prepare(t) end
function done(s)
  return { all = s }
end
