-- YCSB workload B, read mostly: 95 percent reads, 5 percent updates, of zipfian keys.
-- The records that are asked for are chosen as YCSB does it (ScrambledZipfianGenerator).
options = {
  records = { 1e6, "records in the table at first", min = 1 },
  batch = { 1e6, "operations in a batch", min = 1 },
  batches = { 10, "batches", min = 1 },
  load = { 0.8, "load factor that the table has with its records", min = 0.01, max = 1 },
}
shape = { n = opt.records, load = opt.load, pair = "k8v8" }
stages = { batches = opt.batches }

local keys = gen.keys{}:take(opt.records)

function prepare(t)
  t:insert(keys, gen.random{})
end

-- All updates of a batch write the same value, so that it does not matter which of
-- several updates of one record comes last.
function event(t, i)
  t:mix{ find = 0.95, update = 0.05, keys = keys:at(gen.ycsb_zipfian{ n = opt.records, count = opt.batch }), values = i }
end
