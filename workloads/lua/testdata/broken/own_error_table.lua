-- Broken: own error table
-- error: own_error_table.lua:5: error with a table instead of a message | error({ code = 5 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  error({ code = 5 })
end
