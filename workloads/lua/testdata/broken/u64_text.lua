-- Broken: u64 text
-- error: u64_text.lua:5: u64: "0xfg" is not a 64-bit number: it takes a text such as "123" or "0xff", or a whole number from 0 to 2^53 | t:find(gen.unique{ n = 100 } + u64"0xfg")
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.unique{ n = 100 } + u64"0xfg")
end
