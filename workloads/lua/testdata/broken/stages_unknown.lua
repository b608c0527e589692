-- Broken: stages unknown
-- error: stages_unknown.lua:4: stages: unknown field "batch": did you mean batches? | stages = { batch = 10 }
shape = { n = 1000, load = 0.8 }
stages = { batch = 10 }
function event(t, i) end
