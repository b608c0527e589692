-- Broken: own error
-- error: own_error.lua:5: the table must be empty | error("the table must be empty")
shape = { n = 1000, load = 0.8 }
function prepare(t)
  error("the table must be empty")
end
