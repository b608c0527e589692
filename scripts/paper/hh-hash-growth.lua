-- HH Hash, sections on when to make more buckets and when to coalesce old ones: a table
-- that is made for a sixteenth of the pairs gets them batch by batch, and loses them again.
--
--   hashzoo run paper/hh-hash-growth --device cuda:0 --schemes fks --set n=16777216
--
-- Expect no insert to fail: full buckets are split, and when the spare ones are used up, the
-- table moves to new memory with buckets at regular load (the results' notes say when). At
-- the end most of the memory has been given back. The column "most bytes a pair" is the
-- largest after any batch while the table grew, once it had a quarter of the pairs. Schemes
-- that do not grow fail here.
options = {
  n = { 2 ^ 18, "pairs in the end", min = 256 },
  batches = { 64, "batches in which they come, and go", min = 16 },
}
shape = { n = opt.n / 16, load = 0.35 }
stages = {
  { name = "grow", batches = opt.batches },
  { name = "shrink", batches = opt.batches },
}

local i = gen.sequential{}
local keys, values = i + 1, i * 3 + 5
local each = math.floor(opt.n / opt.batches)
local first, most, full = nil, 0, 0

function event(t, k, stage)
  first = first or t:bytes()
  if stage == "grow" then
    t:insert(keys:slice((k - 1) * each, each), values:slice((k - 1) * each, each))
    full = t:bytes()
    if k > opt.batches / 4 then
      most = math.max(most, full / t:size())
    end
  else
    t:erase(keys:slice((k - 1 - opt.batches) * each, each))
  end
end

function done(s)
  return { ["most bytes a pair"] = most, grown = full / first, ["shrunk to"] = s.bytes / first }
end
