-- Broken: stages no event
-- error: stages_no_event.lua:4: event is missing: stages call it, as in function event(t, i) t:find(keys) end | stages = { batches = 10 }
shape = { n = 1000, load = 0.8 }
stages = { batches = 10 }
function prepare(t) end
