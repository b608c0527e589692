-- Growth: nobody knows how many keys will come, so a table for a sixteenth of them has to grow.
-- The rate is that of all inserts, with what growing takes.
options = {
  n = { 1e6, "pairs at the end", min = 256 },
  batches = { 16, "batches in which they come", min = 1 },
}
-- Linear probing grows by itself if it is told to.
shape = { n = math.ceil(opt.n / 16), load = 0.35, schemes = { linear = { resize = "auto" } } }
stages = { { name = "grow", settle = true } }
plots = { { x = "scheme", y = "mops", title = "Inserts into a table that grows" } }

local keys = gen.keys{}:take(opt.n)
local each = math.ceil(opt.n / opt.batches)

function event(t)
  t:clear()
  t:resize(math.ceil(opt.n / 16 / shape.load)) -- leaves out schemes that cannot
  for i = 0, opt.batches - 1 do
    t:insert(keys:slice(each * i, math.min(each, opt.n - each * i)), gen.sequential{})
  end
end
