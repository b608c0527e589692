-- Degrees of a graph: each edge counts at both of its vertices, then asks for both degrees.
-- The edges of most graphs are spread unevenly: a few vertices have a large part of them.
-- Give it a list of edges of your own: hashzoo run degrees --file web-Google.txt.gz
options = {
  edges = { "", "a list of edges, instead of generated ones", file = true },
  from = { "src", "the column of edges that has the first vertex" },
  to = { "dst", "the column of edges that has the second vertex" },
  format = { "", "format of edges, if its extension does not say it (docs/data.md); .txt is snap" },
  n = { 1e6, "edges to generate", min = 1 },
  load = { 0.7, "load factor when all vertices are in", min = 0.01, max = 1 },
  runs = { 5, "measured counts", min = 1 },
  pair = { "k4v4", "bytes of a key and a value: k4v4 or k8v8" },
}
local format = opt.format == "" and opt.edges:find("%.txt") and "snap" or opt.format
local width = tonumber(opt.pair:match("k(%d)"))
local from, to, vertices

if opt.edges ~= "" then
  from, to = gen.file(opt.edges, { column = opt.from, format = format, width = width }, { column = opt.to, width = width })
  vertices = (from .. to):distinct()
  plots = {
    { x = "scheme", y = "mops", where = { phase = "edges" }, title = "Counting the edges of vertices" },
    { x = "scheme", y = "mops", where = { phase = "ask" }, title = "Degrees of both ends of each edge" },
  }
else
  axes = { vertices = { 1e4, 1e6 }, skew = { "even", "zipfian" } }
  plots = {
    { x = "vertices", y = "mops", log = "x", where = { phase = "edges", skew = "zipfian" }, title = "Counting the edges of vertices, zipfian" },
    { x = "vertices", y = "mops", log = "x", where = { phase = "edges", skew = "even" }, title = "Counting the edges of vertices, even" },
    { x = "vertices", y = "mops", log = "x", where = { phase = "ask" }, group = "skew", title = "Degrees of both ends of each edge" },
  }
  local draw = { even = gen.uniform, zipfian = gen.zipfian }
  local drawn = draw[opt.skew] or error("skew is " .. opt.skew .. ", allowed are even, zipfian", 0)
  from, to = drawn{ n = opt.vertices }:take(opt.n), drawn{ n = opt.vertices }:take(opt.n)
  vertices = opt.vertices
end
shape = { n = math.max(vertices, 1000), load = opt.load, pair = opt.pair }
stages = { { name = "edges", batches = opt.runs, warmup = 1 }, { name = "ask", batches = opt.runs, warmup = 1 } }
contents = { key = "vertex", value = "degree" }

local ends = from .. to

function prepare(t)
  if opt.edges ~= "" then t:note(string.format("%d edges, %d vertices", #from, vertices)) end
end

function event(t, i, stage)
  if stage == "edges" then
    t:clear()
    t:tally(ends)
  else
    t:find(ends)
  end
end
