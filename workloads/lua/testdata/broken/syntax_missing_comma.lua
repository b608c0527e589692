-- Broken: syntax missing comma
-- error: syntax_missing_comma.lua:3: syntax error near "load" | shape = { n = 1000 load = 0.8 }
shape = { n = 1000 load = 0.8 }
function prepare(t) end
