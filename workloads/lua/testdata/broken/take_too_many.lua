-- Broken: take too many
-- error: take_too_many.lua:5: v:take: count is 200, the stream has 100 numbers | t:find(gen.unique{ n = 100 }:take(200))
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.unique{ n = 100 }:take(200))
end
