-- Broken: vector element
-- error: vector_element.lua:6: a vector has no readable element 1; hint: pass whole vectors to t | print(keys[1])
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local keys = gen.unique{ n = 100 }
  print(keys[1])
end
