-- Broken: gen unknown
-- error: gen_unknown.lua:5: gen: unknown generator "uniqe": did you mean unique? | t:insert(gen.uniqe{ n = 100 }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.uniqe{ n = 100 }, 1)
end
