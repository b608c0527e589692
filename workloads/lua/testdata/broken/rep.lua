-- Broken: rep
-- error: rep.lua:5: string.rep: the string would be longer than 1048576 bytes, the limit | local s = string.rep("x", 1e10)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local s = string.rep("x", 1e10)
end
