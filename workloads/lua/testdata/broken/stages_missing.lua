-- Broken: stages missing
-- error: stages_missing.lua:4: stages are missing: they say how often event is called, as in stages = { batches = 10 }; hint: batches = math.huge if event ends the run by returning false | function event(t, i) end
shape = { n = 1000, load = 0.8 }
function event(t, i) end
