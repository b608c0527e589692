-- Breadth-first search: from one vertex along edges, level by level, until nothing new is found.
-- A table holds both the edges of each vertex, which takes a scheme that keeps several pairs of
-- a key, and the level of each vertex that was reached, under its number plus that of vertices.
-- The frontier of a level is what the table missed: neighbors without a level. Or give it a list
-- of edges: hashzoo run bfs --file web-Google.txt.gz --set vertices=916428
options = {
  edges = { "", "a list of edges whose vertices are numbers from 0 on, instead of generated ones", file = true },
  format = { "", "format of edges, if its extension does not say it (docs/data.md); .txt is snap" },
  vertices = { 1e5, "how many vertices there are, at least the largest number plus one", min = 2, max = 2 ^ 31 - 2 },
  degree = { 4, "edges of a vertex, on average, if they are generated", min = 1 },
  from = { 0, "the vertex from which the search begins", min = 0 },
  load = { 0.6, "load factor when all vertices are reached", min = 0.01, max = 1 },
  searches = { 3, "measured searches", min = 1 },
}
answers = true
local src, dst
if opt.edges ~= "" then
  local format = opt.format == "" and opt.edges:find("%.txt") and "snap" or opt.format
  src, dst = gen.file(opt.edges, { column = "src", format = format }, { column = "dst" })
else
  src = gen.uniform{ n = opt.vertices }:take(opt.vertices * opt.degree)
  dst = gen.uniform{ n = opt.vertices }:take(opt.vertices * opt.degree)
end
-- A vertex may have many edges, and a list of slabs must have room to grow.
shape = { n = #src + opt.vertices, load = opt.load, schemes = { slab = { spare = 200 } } }
stages = { { name = "search", batches = opt.searches } }
plots = { { x = "scheme", y = "mops", where = { op = "find_all" }, title = "Neighbors of a frontier" } }
local levels, reached -- of the last search

function event(t)
  if not t:has("find_all") then t:find_all(src:take(1)) end -- leaves the scheme out: a vertex has many edges
  t:clear()
  t:fill(src, dst)
  local frontier = gen.constant{ value = opt.from }:take(1)
  t:insert(frontier + opt.vertices, 0)
  levels, reached = 0, 1
  while true do
    local neighbors = t:find_all(frontier):values()
    if #neighbors == 0 then break end
    local fresh = t:find(neighbors % opt.vertices + opt.vertices):missed():once()
    if #fresh == 0 then break end
    levels, reached = levels + 1, reached + #fresh
    if t:insert(fresh, levels).failed > 0 then -- they would be new again and again
      t:note("the search ends early: the table is full")
      break
    end
    frontier = fresh % opt.vertices
  end
end

function done(s)
  return { levels = levels, reached = reached }
end
