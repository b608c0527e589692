-- Done returns two tables
-- error: done_returns_twice.lua:4: done returns a table, which nothing uses: it may return one table or nothing | function done() return { a = 1 }, { b = 2 } end
shape = { n = 100, load = 0.5 }
function done() return { a = 1 }, { b = 2 } end
function prepare(t) t:insert(gen.unique{ n = 9 }, 1) end
