-- Fill a table to a load factor, then look up keys, some of them present.
options = { n = { 1e6, "pairs in the table" }, hits = { 0.5, "fraction of the lookups that find something" } }
axes = { load = { 0.6, 0.8, 0.9 } }    -- a fresh table for each; --axis load=0.5:0.9:0.1 overrides
shape = { n = opt.n, load = opt.load } -- room for n pairs at this load factor
stages = { batches = 10 }              -- event is called ten times
plots = { { x = "load", y = "mops", where = { op = "find" }, title = "Lookups" } }

function prepare(t)                    -- not part of the stages
  keys = gen.keys{}:take(opt.n)        -- a description: the device makes the numbers
  t:insert(keys, keys * 2)             -- keys and values, as one batch
end

function event(t, i)                   -- other lookups each time
  t:find(gen.hits{ of = keys, ratio = opt.hits, n = opt.n })
end
