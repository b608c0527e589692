-- Broken: assertion
-- error: assertion.lua:5: nothing is in the table | assert(t:size() > 0, "nothing is in the table")
shape = { n = 1000, load = 0.8 }
function prepare(t)
  assert(t:size() > 0, "nothing is in the table")
end
