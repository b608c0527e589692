-- Prepare returns what nothing uses
-- error: prepare_returns.lua:4: prepare returns 5, which nothing uses: it may return nothing | function prepare(t) t:insert(gen.unique{ n = 9 }, 1) return 5 end
shape = { n = 100, load = 0.5 }
function prepare(t) t:insert(gen.unique{ n = 9 }, 1) return 5 end
