-- Event returns a number
-- error: event_returns.lua:4: event returns 5, which nothing uses: it may return true, false or nothing | function event(t) t:find(gen.unique{ n = 9 }) return 5 end
shape = { n = 100, load = 0.5 }
function event(t) t:find(gen.unique{ n = 9 }) return 5 end
stages = { batches = 2 }
function prepare(t) t:insert(gen.unique{ n = 9 }, 1) end
