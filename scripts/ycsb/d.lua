-- YCSB workload D, read latest: 95 percent reads, mostly of the newest records, 5 percent inserts.
-- A batch runs its inserts, then its reads, which ask for records that the inserts of the same
-- batch bring. The newest record advances from read to read.
options = {
  records = { 1e6, "initial records in the table", min = 1 },
  batch = { 1e6, "operations in a batch", min = 20 },
  batches = { 10, "batches", min = 1 },
  load = { 0.8, "load factor at the end", min = 0.01, max = 1 },
}
local new = math.floor(0.05 * opt.batch)
local reads = opt.batch - new
shape = { n = opt.records + new * opt.batches, load = opt.load, pair = "k8v8" }
stages = { batches = opt.batches }
plots = { { x = "scheme", y = "mops", title = "YCSB D, read latest" } }

local keys = gen.keys{} -- of all records, in order of arrival

function prepare(t)
  t:insert(keys:take(opt.records), gen.random{})
end

function event(t, i)
  local have = opt.records + new * (i - 1)
  t:insert(keys:slice(have, new), gen.random{})
  t:find(keys:at(gen.latest{ n = have, growth = new / reads, count = reads }))
end
