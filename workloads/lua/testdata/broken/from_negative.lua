-- Broken: from negative
-- error: from_negative.lua:5: gen.from: the function returned -1 for 3, it takes whole numbers from 0 to 2^53, or u64"..." | t:insert(gen.from(function(i) return 2 - i end, { n = 5 }), 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.from(function(i) return 2 - i end, { n = 5 }), 1)
end
