-- Broken: vector method
-- error: vector_method.lua:5: a vector: unknown method "tkae": did you mean take? | t:find(gen.unique{ n = 100 }:tkae(5))
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.unique{ n = 100 }:tkae(5))
end
