-- Broken: options field
-- error: options_field.lua:3: options.n: unknown field "least": choose from default, help, min, max, file | options = { n = { 1000, "pairs", least = 1 } }
options = { n = { 1000, "pairs", least = 1 } }
shape = { n = 1000, load = 0.8 }
function prepare(t) end
