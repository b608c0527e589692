-- Event returns two values
-- error: event_returns_twice.lua:4: event returns false, which nothing uses: it may return true, false or nothing | function event(t) t:find(gen.unique{ n = 9 }) return true, false end
shape = { n = 100, load = 0.5 }
function event(t) t:find(gen.unique{ n = 9 }) return true, false end
stages = { batches = 2 }
function prepare(t) t:insert(gen.unique{ n = 9 }, 1) end
