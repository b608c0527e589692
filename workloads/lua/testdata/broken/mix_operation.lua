-- Broken: mix operation
-- error: mix_operation.lua:5: t:mix: unknown field "fnd": did you mean find? | t:mix{ fnd = 0.5, update = 0.5, keys = gen.unique{ n = 100 }, values = 1 }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:mix{ fnd = 0.5, update = 0.5, keys = gen.unique{ n = 100 }, values = 1 }
end
