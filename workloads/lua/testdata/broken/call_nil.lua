-- Broken: call nil
-- error: call_nil.lua:6: attempt to call a non-function object | helpers.fill(t)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local helpers = {}
  helpers.fill(t)
end
