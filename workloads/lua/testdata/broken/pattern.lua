-- Broken: pattern
-- error: pattern.lua:6: the script ran 1000000 instructions in one call, the limit; hint: check for an endless loop, or raise lua.steps | s:find(string.rep("a-", 20) .. "b")
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local s = string.rep("a", 10000)
  s:find(string.rep("a-", 20) .. "b")
end
