-- Broken: global unknown
-- error: global_unknown.lua:6: unknown global "kyes": did you mean keys or axes? | t:insert(kyes, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  keys = gen.unique{ n = 100 }
  t:insert(kyes, 1)
end
