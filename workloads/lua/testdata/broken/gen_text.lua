-- Broken: gen text
-- error: gen_text.lua:5: gen.unique: n is "100", it takes a number: how many different numbers exist | t:insert(gen.unique{ n = "100" }, 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = "100" }, 1)
end
