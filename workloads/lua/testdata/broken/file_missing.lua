-- Broken: file missing
-- error: file_missing.lua:5: gen.file: file keys.csv not found in the script's folder | t:insert(gen.file("keys.csv", { column = "id" }), 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.file("keys.csv", { column = "id" }), 1)
end
