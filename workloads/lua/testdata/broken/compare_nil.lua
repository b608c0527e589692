-- Broken: compare nil
-- error: compare_nil.lua:6: attempt to compare number with nil | if t:size() < limits.most then t:clear() end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local limits = {}
  if t:size() < limits.most then t:clear() end
end
