-- Broken: stages name
-- error: stages_name.lua:4: stages: the name "find" is taken: other stages, operations and results have names, too | stages = { name = "find", batches = 10 }
shape = { n = 1000, load = 0.8 }
stages = { name = "find", batches = 10 }
function event(t, i) end
