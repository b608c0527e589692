-- Broken: hits of
-- error: hits_of.lua:5: gen.hits: ratio is 1.5, allowed are numbers from 0 to 1; hint: the fraction of queries that find their key, such as 0.5 | t:find(gen.hits{ of = 5, ratio = 1.5 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.hits{ of = 5, ratio = 1.5 })
end
