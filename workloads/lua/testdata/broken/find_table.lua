-- Broken: find table
-- error: find_table.lua:5: t:find: keys is a table, it takes a vector; hint: gen makes vectors | t:find({ 1, 2, 3 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find({ 1, 2, 3 })
end
