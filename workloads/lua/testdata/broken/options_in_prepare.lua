-- Broken: options in prepare
-- error: options_in_prepare.lua:5: options must be declared at the top of the script, not in a function that runs later | options = { n = 5 }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  options = { n = 5 }
end
