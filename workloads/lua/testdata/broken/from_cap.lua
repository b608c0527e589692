-- Broken: from cap
-- error: from_cap.lua:5: gen.from: n is 1000000000000, at most 1000 are allowed; hint: use a generator, or raise lua.from | t:insert(gen.from(function(i) return i end, { n = 1e12 }), 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.from(function(i) return i end, { n = 1e12 }), 1)
end
