-- Fill a table beyond its capacity: inserts must fail exactly, and soon.
-- Every batch is a tenth of the table; the last ones find no room. "failed" is the number of
-- failed inserts, "filled" how far the scheme came. The lookups afterwards ask for all keys:
-- exactly as many are missing as failed.
options = {
  capacity = { 1e5, "slots of the table", min = 100 },
  part = { 1.2, "keys to insert, as a multiple of the slots", min = 0.1, max = 10 },
}
shape = { capacity = opt.capacity }
local each = math.ceil(opt.capacity / 10)
local batches = math.ceil(opt.capacity * opt.part / each)
stages = { { name = "fill", batches = batches }, { name = "look", batches = 1 } }
thresholds = { "lost == 0" }
plots = { { x = "batch", y = "ms", where = { op = "insert" }, log = "y", xlabel = "batch, a tenth of the slots each" } }

local keys = gen.keys{}

function event(t, i, stage)
  if stage == "fill" then
    t:insert(keys:slice(each * (i - 1), each), gen.random{})
  else
    t:find(keys:take(each * batches))
  end
end

function done(s)
  return { lost = math.abs(s.find.missing - s.insert.failed) }
end
