-- Broken: result field
-- error: result_field.lua:6: the result of a batch: unknown field "fails": did you mean failed? | print(r.fails)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local r = t:insert(gen.unique{ n = 100 }, 1)
  print(r.fails)
end
