-- Grow a table batch by batch to sixteen times what it was made for, and empty it again.
-- For schemes that grow and shrink by themselves:
--
--   hashzoo run stress/growth --schemes fks --set n=16M
--
-- Expect no insert to fail. The columns: the most bytes a pair after any batch while the
-- table grew, once it had a quarter of the pairs; how many times its first memory it took
-- with all pairs, and takes at the end. Notes say what it did.
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
