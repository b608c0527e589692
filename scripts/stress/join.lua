-- Hash join: build a table from the keys of one side once, probe it with the other side.
-- Values are row numbers. The probe side is larger, repeats keys (zipfian), and only a
-- part of its rows has a partner.
options = {
  build = { 1e6, "rows of the build side, with different keys", min = 1 },
  probe = { 4e6, "rows of the probe side in a batch", min = 1 },
  match = { 0.8, "fraction of the probe rows that have a partner", min = 0, max = 1 },
  theta = { 0.5, "skew of the probe keys: 0 is uniform, 0.99 is YCSB's", min = 0, max = 2 },
  batches = { 10, "batches", min = 1 },
  load = { 0.8, "load factor", min = 0.01, max = 1 },
}
shape = { n = opt.build, load = opt.load }
stages = { batches = opt.batches }
plots = { { x = "scheme", y = "mops", title = "Probes of a hash join" } }

local keys = gen.keys{}
local build, others = keys:take(opt.build), keys:skip(opt.build)

function prepare(t)
  t:insert(build, gen.sequential{})
end

function event(t, i)
  local partner = build:at(gen.zipfian{ n = opt.build, theta = opt.theta })
  local none = others:at(gen.uniform{ n = opt.build })
  t:find(gen.choose{ first = partner, second = none, p = opt.match }:take(opt.probe))
end

function done(s)
  return { ["rows joined"] = s.find.ok }
end
