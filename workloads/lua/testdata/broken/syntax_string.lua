-- Broken: syntax string
-- error: syntax_string.lua:4: unterminated string near "hello) end" | function prepare(t) print('hello) end
shape = { n = 1000, load = 0.8 }
function prepare(t) print('hello) end
