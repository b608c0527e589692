-- YCSB workload A, update heavy: half reads, half updates, of zipfian keys.
-- Records are chosen as in YCSB (ScrambledZipfianGenerator).
options = {
  records = { 1e6, "initial records in the table", min = 1 },
  batch = { 1e6, "operations in a batch", min = 1 },
  batches = { 10, "batches", min = 1 },
  load = { 0.8, "load factor with the initial records", min = 0.01, max = 1 },
}
shape = { n = opt.records, load = opt.load, pair = "k8v8" }
stages = { batches = opt.batches }
plots = { { x = "scheme", y = "mops", title = "YCSB A, update heavy" } }

local keys = gen.keys{}:take(opt.records)

function prepare(t)
  t:insert(keys, gen.random{})
end

-- All updates of a batch write the same value, so their order does not matter.
function event(t, i)
  t:mix{ find = 0.5, update = 0.5, keys = keys:at(gen.ycsb_zipfian{ n = opt.records, count = opt.batch }), values = i }
end
