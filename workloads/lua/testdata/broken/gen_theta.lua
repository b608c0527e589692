-- Broken: gen theta
-- error: gen_theta.lua:5: gen.zipfian: theta is 3, allowed are numbers from 0 to 2; hint: 0 is uniform, 0.99 is YCSB's | t:find(gen.zipfian{ n = 100, theta = 3, count = 10 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.zipfian{ n = 100, theta = 3, count = 10 })
end
