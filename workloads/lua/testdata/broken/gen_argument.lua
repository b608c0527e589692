-- Broken: gen argument
-- error: gen_argument.lua:5: gen.uniform: unknown field "sed": did you mean seed? | t:insert(gen.uniform{ n = 100, sed = 5 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.uniform{ n = 100, sed = 5 }, 1)
end
