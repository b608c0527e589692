-- Broken: long string
-- error: long_string.lua:6: the string would be longer than 1048576 bytes, the limit | for i = 1, 100 do s = s .. s end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local s = "x"
  for i = 1, 100 do s = s .. s end
end
