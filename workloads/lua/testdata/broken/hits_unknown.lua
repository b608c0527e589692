-- Broken: hits unknown
-- error: hits_unknown.lua:6: gen.hits: it cannot be known which keys are absent from of, whose numbers can be as large as 4294967295, and a random one below 4294967294 would be there with probability 2.3e-07; hint: make of from unique or keys | t:find(gen.hits{ of = keys, ratio = 0.5 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local keys = gen.random{ count = 1000 } % 2^32
  t:find(gen.hits{ of = keys, ratio = 0.5 })
end
