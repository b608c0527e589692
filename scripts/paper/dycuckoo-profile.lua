-- DyCuckoo, Figure 10: profiles of inserts.
-- Its command:
--
--   hashzoo run paper/dycuckoo-profile --device cuda:0 --set n=50M \
--     --schemes dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated \
--     --schemes linear:bucket=1,megakv:bucket=8,1cht:exchange=always
--
-- The paper shows warp efficiency, cache hits and memory bandwidth of a GTX 1080. Kernels can
-- count two of what is behind them. "lanes %" is the lanes that have work, of those in the warp,
-- in each step in which one has; the paper's profiler counts the active threads of every
-- instruction. "sectors" are the 32-byte sectors that an insert touches. What a cache serves of
-- them only a profiler knows; with Nvidia's, --count=false, and one scheme at a time:
--
--   ncu -k regex:_insert$ -c 1 --kernel-name-base function --metrics \
--     smsp__thread_inst_executed_per_inst_executed.pct,lts__t_sector_hit_rate.pct \
--     hashzoo run paper/dycuckoo-profile --device cuda:0 ...
--
-- In the paper the lanes of DyCuckoo are busy for 70 percent of the time, as voters help each
-- other, those of Mega-KV and CUDPP less; inserts of Mega-KV use the memory better, since
-- DyCuckoo takes a lock for each.
-- The paper prints no numbers for its figure: it has bars.
options = { n = { 2 ^ 18, "pairs", min = 1 } }
axes = { load = { 0.75, 0.8, 0.85, 0.9, 0.95 } }
count = true
shape = { n = opt.n, load = opt.load, schemes = { dycuckoo = { resize = "manual" } } }
plots = {
  { x = "load", y = "lanes %", ylabel = "busy lanes (%)" },
  { x = "load", y = "sectors", where = { op = "insert" }, ylabel = "sectors per insert" },
}

local keys = gen.keys{}:take(opt.n)
local active, issued -- lanes; nil with --count=false

function prepare(t)
  local r = t:insert(keys, keys)
  active, issued = r.lanes_active, r.lanes_issued
end

function done()
  if active then
    return { ["lanes %"] = 100 * active / issued }
  end
end
