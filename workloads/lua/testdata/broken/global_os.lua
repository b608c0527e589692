-- Broken: global os
-- error: global_os.lua:5: os is not available: scripts have no clocks, files or processes | local start = os.time()
shape = { n = 1000, load = 0.8 }
function prepare(t)
  local start = os.time()
end
