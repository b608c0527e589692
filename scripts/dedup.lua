-- Deduplication: of each batch of records, only those that never came before go on.
-- The keys of a batch are upserted, and what the table added is what is new; so the records that
-- go on are the answer of a batch. `seen` says how many there were. Or give it the column of a file:
-- hashzoo run dedup --file trips.parquet --set key=id
options = {
  data = { "", "a table whose rows are deduplicated, instead of generated ones", file = true },
  key = { "", "the column of data, or several: a,b" },
  format = { "", "format of data, if its extension does not say it (docs/data.md)" },
  rows = { 1e6, "rows to generate", min = 1 },
  different = { 0.5, "fraction of these that are different", min = 0.001, max = 1 },
  batch = { 1e5, "rows in a batch", min = 1 },
  load = { 0.7, "load factor at the end", min = 0.01, max = 1 },
}
answers = true
local rows, most
if opt.data ~= "" then
  rows = gen.file(opt.data, { column = opt.key, format = opt.format, width = 8 })
  most = rows:distinct()
else
  most = math.ceil(opt.rows * opt.different)
  rows = gen.keys{ width = 8 }:take(most):at(gen.uniform{ n = most }:take(opt.rows))
end
shape = { n = math.max(most, 1000), load = opt.load, pair = "k8v8" }
stages = { batches = math.huge }
plots = { { x = "batch", y = "ms", title = "Batches while the table fills" } }

local new -- all records that went on, in their order

function event(t, i)
  local from = (i - 1) * opt.batch
  local count = math.min(opt.batch, #rows - from)
  local added = t:upsert(rows:slice(from, count), i):added()
  new = new and new .. added or added
  return from + count < #rows
end

function done(s)
  if not new then return {} end
  return { new = #new, ["seen %"] = 100 * (1 - #new / #rows) }
end
