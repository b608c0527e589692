-- Broken: hits unknown
-- error: hits_unknown.lua:6: gen.hits: cannot tell which keys are absent from of: its numbers can be as large as 4294967295, and a random key below 4294967294 is present with probability 2.3e-07; hint: make of from unique or keys | t:find(gen.hits{ of = keys, ratio = 0.5 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local keys = gen.random{ count = 1000 } % 2^32
  t:find(gen.hits{ of = keys, ratio = 0.5 })
end
