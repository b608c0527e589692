-- Broken: recursion
-- error: recursion.lua:5: stack overflow | local function down(n) return down(n + 1) + 1 end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local function down(n) return down(n + 1) + 1 end
  down(1)
end
