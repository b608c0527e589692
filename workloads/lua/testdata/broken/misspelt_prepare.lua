-- Broken: misspelt prepare
-- error: misspelt_prepare.lua:4: preprare is assigned but prepare is not: did you mean prepare? hint: otherwise make it local | function preprare(t) end
shape = { n = 1000, load = 0.8 }
function preprare(t) end
